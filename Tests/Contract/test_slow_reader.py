"""P5: a slow reader delays no other participant, and misses no entry."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from client import Client
from gateway import Gateway
from room import Room, append, note, replace
from slow import most, resident_bytes

MOST_GROWTH = 64 << 20


def small_socket(gateway: Gateway, tls: bool = False) -> dict[str, Any]:
    """Returns options for a client with the smallest possible kernel buffer."""
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connected.connect(gateway.https if tls else gateway.http)
    connected.setblocking(False)
    options = {"server_hostname": "localhost"} if tls else {}
    return {"sock": connected, "compression": None, "max_queue": 4} | options


async def rejoin(person: Client) -> None:
    """Joins again after 4013, or after 1006 in its place."""
    assert person.close is not None and person.close[0] in (4013, 1006), person.close
    for name in ("sock", "server_hostname"):
        person._options.pop(name, None)
    await person.join()


@pytest.mark.parametrize("tls", [False, True], ids=["ws", "wss"])
@pytest.mark.parametrize("megabytes", [1, 24])
async def test_a_reader_that_pauses_misses_no_entry(gateway_with, megabytes: int, tls: bool) -> None:
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=2 << 20, graceSeconds=31
    )
    async with Room(gateway, tls=tls) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        slow = await room.join("Slow", **small_socket(gateway, tls))
        slow.may_read.clear()
        before = resident_bytes(gateway)
        body = "x" * 8_000
        for n in range(megabytes * 128):
            ada.send(replace(n % 40, f"{n} {body}"), append(1_000 + n % 40, f"{n}"))
            if n % 16 == 15:
                await ben.wait_for(
                    lambda n=n: f"{n}".encode() in [e.payload for e in ben.received[-9:]], "live"
                )
        await ada.committed()
        assert resident_bytes(gateway) - before < most(MOST_GROWTH)
        slow.may_read.set()
        await slow.wait_for(lambda: slow.close or slow.last >= ada.last, "it gets all, or is closed")
        if slow.close is not None:
            await rejoin(slow)
        ada.send(note("end"))
        await slow.got(b"end")
        assert slow.retained.held() == ada.retained.held() == ben.retained.held()
        if slow.catch_ups == ["snapshot"] and slow.close is None:
            sent = [e.payload for e in ada.received if e.sequence > slow.last_control("caughtUp")["sequence"]]
            assert [e.payload for e in slow.received if not e.is_system][-len(sent) :] == sent[-len(sent) :]


async def test_a_slow_reader_does_not_delay_a_joiner(gateway_with) -> None:
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=2 << 20, graceSeconds=31
    )
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.send_paced(*[append(n, f"{n}" + "x" * 20_000) for n in range(500)], at_once=50)
        stuck = await room.connect(**small_socket(gateway))
        await stuck.say(join={})
        await stuck.control("joined")
        stuck.may_read.clear()
        quick = await room.join("Quick")
        assert quick.retained.held() == ada.retained.held()
        await ada.send_paced(*[append(n, "more" + "x" * 20_000) for n in range(500)], at_once=50)
        stuck.may_read.set()
        await stuck.wait_for(lambda: stuck.close or stuck.last >= ada.last, "it gets all, or is closed")
        if stuck.close is not None:
            await rejoin(stuck)
        assert stuck.retained.held() == ada.retained.held()


async def test_unreliable_entries_do_not_pile_up_for_a_slow_reader(gateway_with) -> None:
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=2 << 20, graceSeconds=31
    )
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        slow = await room.join("Slow", **small_socket(gateway))
        slow.may_read.clear()
        before = resident_bytes(gateway)
        cursor = b"".join(b"\0\0\x10\x06\0\x01\0\0\0\0C" + bytes(4_095) for _ in range(16))
        for _ in range(500):
            await ada.raw(cursor)
        ada.send(note("end"))
        await ada.got(b"end")
        assert resident_bytes(gateway) - before < most(MOST_GROWTH)
        slow.may_read.set()
        await slow.wait_for(lambda: slow.close or slow.last >= ada.last, "it gets all, or is closed")
        assert slow.close is None or slow.close[0] in (4013, 1006)
