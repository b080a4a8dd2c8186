"""P6, P7: the gateway continues to serve after any bytes, without an effect on others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import struct

import pytest
import websockets

from gateway import Gateway
from http1 import HTTPConnection, request_bytes
from polling import until
from rawsocket import BINARY, TEXT, RawSocket, frame, upgrade_fields
from room import Room, append, note, numbered, replace, targeted

SEEDS = (1, 2, 3)
TOKENS = [
    b"GET ", b"POST ", b"/", b"/api/sessions", b" HTTP/1.1\r\n", b"\r\n", b"\r\n\r\n", b"Host: a\r\n", b":", b" ",
    b"Content-Length: 5\r\n", b"Content-Length: 99999999999\r\n", b"Transfer-Encoding: chunked\r\n", b"\0", b"\xff",
    b"5\r\nhello\r\n0\r\n\r\n", b"Upgrade: websocket\r\n", b"Range: bytes=0-\r\n", b"%2e%2e/", b"Expect: 100-continue\r\n",
]  # fmt: skip
CONTROL = [
    {"join": {}}, {"wait": {}}, {"leave": {}}, {"profile": {"name": "x"}}, {"activity": {"title": "t", "payload": [1]}},
    {"join": {"resume": {"token": "x", "epoch": "y", "after": 2**64, "next": -1}}}, {"join": {"name": "\ud800"}},
    {"activity": {"payload": [[[[[[]]]]]] * 50}}, {"end": 1}, {}, [], 1e308, "join", None,
]  # fmt: skip


def mutated(chance: random.Random, data: bytes) -> bytes:
    """Returns the bytes with a few of them changed, removed, repeated or inserted."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(changed) + 1)
        way = chance.randrange(4)
        if way == 0 and at < len(changed):
            changed[at] = chance.randrange(256)
        elif way == 1:
            del changed[at : at + chance.randrange(1, 9)]
        elif way == 2:
            changed[at:at] = changed[at : at + chance.randrange(1, 40)]
        else:
            changed[at:at] = chance.randbytes(chance.randrange(1, 9))
    return bytes(changed)


async def is_well(gateway: Gateway) -> None:
    """Checks that the process lives, answers, and lets participants draw together."""
    assert gateway.process.poll() is None, gateway.log[-2_000:]
    assert (await gateway.get("/healthz")).status == 200
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(note("all is well"))
        await ben.got(b"all is well")


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_bytes_on_either_port_are_harmless(gateway: Gateway, seed: int) -> None:
    chance = random.Random(seed)

    async def attack(address: tuple[str, int]) -> None:
        data = b"".join(chance.choice(TOKENS) for _ in range(chance.randrange(1, 40)))
        if chance.random() < 0.3:
            data = chance.randbytes(chance.randrange(1, 3_000))
        async with await HTTPConnection.open(address) as connection:
            await connection.send(data)
            with contextlib.suppress(TimeoutError, ConnectionError):
                async with asyncio.timeout(0.2):
                    await connection.reader.read()

    for _ in range(15):
        await asyncio.gather(*[attack(chance.choice((gateway.http, gateway.https))) for _ in range(20)])
    await is_well(gateway)


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_frames_after_the_upgrade_are_harmless(gateway: Gateway, seed: int) -> None:
    chance = random.Random(seed)
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        good = [frame(TEXT, json.dumps(message).encode()) for message in CONTROL if message != {"leave": {}}]
        good += [frame(BINARY, numbered(note("n"), append(1, "a"), replace(2, "r"), targeted("t", 1)))]

        async def attack() -> None:
            offer = chance.choice(
                (None, "permessage-deflate", "permessage-deflate; client_no_context_takeover")
            )
            async with await RawSocket.open(gateway, room.id, Sec_WebSocket_Extensions=offer) as socket:
                data = frame(TEXT, b'{"join": {}}') if chance.random() < 0.8 else b""
                data += b"".join(mutated(chance, chance.choice(good)) for _ in range(chance.randrange(1, 6)))
                await socket.send(data)
                with contextlib.suppress(TimeoutError, ConnectionError):
                    async with asyncio.timeout(0.2):
                        await socket.connection.reader.read()

        for _ in range(10):
            await asyncio.gather(*[attack() for _ in range(20)])
        await witness.say(profile={"name": "Unharmed"})
        await witness.system("participants", lambda change: change.get("changed"))
        assert witness.close is None and witness.failure is None
    await is_well(gateway)


@pytest.mark.parametrize("seed", SEEDS)
async def test_random_messages_are_harmless(gateway: Gateway, seed: int) -> None:
    chance = random.Random(seed)
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        entries = numbered(
            note("n"), append(1, "a"), replace(2, "r"), targeted("t", 1, 2), *[note("x" * 300)] * 2
        )
        for _ in range(60):
            intruder = await room.join("Intruder")
            with contextlib.suppress(websockets.ConnectionClosed):
                for _ in range(5):
                    await intruder.raw(mutated(chance, entries))
                    text = json.dumps(chance.choice(CONTROL[2:])).encode()
                    await intruder.ws.send(mutated(chance, text), text=True)
            await intruder.cut()
        late = await room.join("Late")
        await until(lambda: witness.last == late.last, "the same sequence")
        assert witness.retained.held() == late.retained.held()
        assert witness.retained.people == late.retained.people
    await is_well(gateway)


async def test_concurrent_sessions_are_isolated(gateway: Gateway) -> None:
    """Sockets are assigned to any reactor, with their first messages already behind the upgrade."""

    async def one(n: int) -> None:
        async with Room(gateway, tls=n % 4 == 0) as room:
            head = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
            early = frame(TEXT, b'{"join": {"name": "Early"}}') + frame(BINARY, note(f"early {n}").encoded(1))
            async with await gateway.connect() as connection:
                people = await asyncio.gather(*[room.join(f"P{k}") for k in range(3)])
                await connection.send(head + early[: len(early) // 2])
                await connection.send(early[len(early) // 2 :])
                assert (await connection.receive()).status == 101
                for person in people:
                    person.send(*[note(f"{n} {person.number} {k}") for k in range(20)])
                for person in people:
                    await person.got(f"early {n}".encode(), *[f"{n} {p.number} 19".encode() for p in people])
                    came = [e for e in person.received if not e.is_system]
                    assert len(came) == 61, "something of another session, or not all of this one"

    await asyncio.gather(*[one(n) for n in range(60)])


async def test_a_message_of_the_largest_entries_from_everyone_at_once(gateway_with) -> None:
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=64 << 20
    )
    async with Room(gateway) as room:
        people = [await room.join(f"P{n}") for n in range(5)]
        for person in people:
            person.send(*[note(struct.pack(">I", n) + bytes(262_140)) for n in range(8)])
        for person in people:
            await person.wait_for(
                lambda person=person: sum(not e.is_system for e in person.received) == 40, "all forty", 40
            )
            assert not person.errors
