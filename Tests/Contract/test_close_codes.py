"""Section 2: the WebSocket rules that close a socket, and keepalive."""

from __future__ import annotations

import asyncio
import struct

import pytest

from gateway import Gateway
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, frame
from room import Room, note

PROFILE = b'{"profile": {"name": "Ada"}}'
FAULTS = [
    ("an unmasked frame", 1002, frame(TEXT, PROFILE, masked=False)),
    ("RSV1 without an extension", 1002, frame(TEXT, PROFILE, reserved=0x40)),
    ("RSV2", 1002, frame(TEXT, PROFILE, reserved=0x20)),
    ("an opcode that is not defined", 1002, frame(3, b"")),
    ("a ping of 126 bytes", 1002, frame(PING, bytes(126))),
    ("a ping in two frames", 1002, frame(PING, b"", fin=False)),
    ("a continuation of nothing", 1002, frame(CONTINUATION, b"x")),
    ("a new message inside another", 1002, frame(TEXT, b"{", fin=False) + frame(TEXT, b"}")),
    ("a close of one byte", 1002, frame(CLOSE, b"\x03")),
    ("a close code that is not sent", 1002, frame(CLOSE, struct.pack(">H", 1005))),
    ("text that is not UTF-8", 1007, frame(TEXT, b"\xc3\x28")),
    ("text cut inside a character", 1007, frame(TEXT, b'"\xe2\x82')),
    ("a close reason that is not UTF-8", 1007, frame(CLOSE, struct.pack(">H", 1000) + b"\xff")),
    ("a binary message over 1 MiB", 1009, frame(BINARY, bytes((1 << 20) + 1))[:5_000]),
    ("a frame of 2^62 bytes", 1009, b"\x82\xff" + struct.pack(">Q", 1 << 62) + bytes(4)),
    ("a length with its highest bit set", 1002, b"\x82\xff" + struct.pack(">Q", 1 << 63) + bytes(4)),
]


@pytest.mark.parametrize(
    ("code", "bytes_"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
async def test_violations_of_rfc_6455_are_closed_with_their_codes(
    gateway: Gateway, code: int, bytes_: bytes
) -> None:
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        await socket.join()
        await socket.send(bytes_)
        assert (await socket.close_of())[0] == code


async def test_fragments_of_more_than_1_mib_are_closed_with_1009(gateway: Gateway) -> None:
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        await socket.join()
        await socket.send(frame(BINARY, bytes(1 << 19), fin=False))
        await socket.send(frame(CONTINUATION, bytes(1 << 19), fin=False), frame(CONTINUATION, b"x"))
        assert (await socket.close_of())[0] == 1009


async def test_a_message_that_inflates_beyond_1_mib_is_closed_with_1009(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression="deflate")
        await ada.raw(bytes(20 << 20))
        assert (await ada.closed())[0] == 1009


async def test_control_frames_between_fragments_are_answered(
    gateway: Gateway,
) -> None:
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        ben = await room.join("Ben")
        await socket.join()
        message = note("in three pieces").encoded(1)
        await socket.send(frame(BINARY, message[:1], fin=False), frame(PING, b"?"))
        assert (await socket.receive_until(PONG)).payload == b"?"
        await socket.send(frame(CONTINUATION, b"", fin=False), frame(CONTINUATION, message[1:]))
        await ben.got(b"in three pieces")


async def test_a_close_is_answered_and_the_connection_ends(gateway: Gateway) -> None:
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        await socket.join()
        await socket.send(frame(CLOSE, struct.pack(">H", 1000)))
        assert (await socket.receive_until(CLOSE)).payload[:2] == struct.pack(">H", 1000)
        await socket.connection.ends()


async def test_the_gateway_never_masks_and_sends_no_reserved_bits_unasked(gateway: Gateway) -> None:
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        await socket.send(frame(TEXT, b'{"join": {}}'))
        for _ in range(4):
            assert (await socket.receive()).reserved == 0


async def test_a_message_incomplete_after_message_seconds_is_closed(gateway_with) -> None:
    gateway: Gateway = gateway_with(messageSeconds=1)
    async with Room(gateway) as room, await RawSocket.open(gateway, room.id) as socket:
        await socket.join()
        await socket.send(frame(BINARY, bytes(1_000))[:500])
        code, reason = await socket.close_of()
        assert code in (1008, 4008) and reason["detail"]


async def test_half_received_messages_of_all_sockets_are_limited(gateway_with) -> None:
    gateway: Gateway = gateway_with(incompleteBytes=1 << 20)
    async with Room(gateway) as room:
        sockets = [await RawSocket.open(gateway, room.id) for _ in range(4)]
        for socket in sockets:
            await socket.join()
            await socket.send(frame(BINARY, bytes(900_000))[:800_000])
        closings = [asyncio.create_task(socket.close_of()) for socket in sockets]
        done, open_ = await asyncio.wait(closings, return_when=asyncio.FIRST_COMPLETED)
        for closing in done:
            code, reason = closing.result()
            assert code in (1008, 1009, 1013) and reason["detail"]
        for closing in open_:
            closing.cancel()
        for socket in sockets:
            socket.connection.abort()


@pytest.mark.seconds(90)
async def test_keepalive_pings_and_closes_dead_sockets(keepalive_observation) -> None:
    """The gateway sends pings and heartbeats at least every 20 s, closes with 4008 a socket without any traffic for 40 s, and
    keeps one that answers."""
    found = keepalive_observation.result()
    times = [0.0, *found.pings]
    assert len(times) > 1 and all(15 <= b - a <= 25 for a, b in zip(times, times[1:], strict=False)), found
    times = [0.0, *found.heartbeats]
    assert len(times) > 1 and all(b - a <= 25 for a, b in zip(times, times[1:], strict=False)), found
    assert (found.close, found.reason) == (4008, "no-answer"), found
    assert 35 <= found.closed_after <= 65, found
    assert found.answering_is_open, found
