"""RFC 6455 and 7692 with a hostile client: frames, fragments, compression, and wrong lengths."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import struct
import zlib

import pytest

from client import Client
from gateway import Gateway
from hostile import MEBIBYTE, Watch, closes_within, unharmed
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, RawSocket, frame
from room import Room, note, numbered
from slow import most
from wire import RELIABLE, Outgoing

pytestmark = pytest.mark.alone

COMPRESSED = 0x40
"""RSV1: the message is compressed (RFC 7692 §6)."""
DEFLATE = "permessage-deflate"
ALONE = "permessage-deflate; client_no_context_takeover; server_no_context_takeover"
PROFILE = json.dumps({"profile": {"name": "Zoë \N{MUSICAL SYMBOL G CLEF}"}}, ensure_ascii=False).encode()


def compress(data: bytes) -> bytes:
    """Compresses a message (RFC 7692 §7.2.1): deflated, flushed, without its last four bytes."""
    deflater = zlib.compressobj(9, wbits=-15)
    return (deflater.compress(data) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]


@functools.cache
def bomb() -> bytes:
    """Returns 64 MiB of zeros, compressed to a thousandth."""
    return compress(bytes(64 * MEBIBYTE))


def header(first: int, length: bytes) -> bytes:
    """Returns a frame header with an encoded length, and a masking key of zeros."""
    return bytes([first, 0x80 | length[0]]) + length[1:] + bytes(4)


BROKEN = (
    [(f"opcode {n}", frame(n, b"x")) for n in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)]
    + [(f"opcode {n} within a message", frame(TEXT, b"{", fin=False) + frame(n)) for n in (3, 7, 11, 15)]
    + [(f"RSV {n:#x} on {o}", frame(o, b"", reserved=n)) for n in (0x10, 0x20, 0x40, 0x70) for o in (1, 2, 8, 9, 10)]
    + [("RSV1 on a continuation", frame(TEXT, b"{", fin=False) + frame(CONTINUATION, b"}", reserved=0x40))]
    + [(f"no mask on {o}", frame(o, b"", masked=False)) for o in (TEXT, BINARY, CLOSE, PING, PONG)]
    + [("no mask within a message", frame(TEXT, b"{", fin=False) + frame(CONTINUATION, b"}", masked=False))]
    + [(f"control {o} in two frames", frame(o, b"", fin=False)) for o in (CLOSE, PING, PONG)]
    + [(f"control {o} of 126 bytes", frame(o, bytes(126))) for o in (CLOSE, PING, PONG)]
    + [("a ping of 2^16 bytes", header(0x89, b"\x7f" + struct.pack(">Q", 1 << 16)))]
    + [("a ping of 5 bytes in 16 bits", header(0x89, b"\x7e\0\5") + b"hello")]
    # §5.2: the minimal number of bytes MUST be used.
    + [("125 in 16 bits", header(0x81, b"\x7e\0\x7d") + bytes(125)), ("0 in 16 bits", header(0x82, b"\x7e\0\0"))]
    + [("65,535 in 64 bits", header(0x82, b"\x7f" + struct.pack(">Q", 65_535)) + bytes(65_535))]
    + [("5 in 64 bits", header(0x81, b"\x7f" + struct.pack(">Q", 5)) + b"hello")]
    + [(f"a length of {n:#x}", header(0x82, b"\x7f" + struct.pack(">Q", n))) for n in (1 << 63, (1 << 64) - 1)]
    + [("a continuation after a whole message", frame(PONG) + frame(CONTINUATION, b""))]
    + [("an empty continuation of nothing", frame(CONTINUATION, b"", fin=False))]
    + [("binary within text", frame(TEXT, b"", fin=False) + frame(BINARY, b""))]
    + [
        (f"close {code}", frame(CLOSE, struct.pack(">H", code)))
        for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)
    ]
    + [("a close of one byte", frame(CLOSE, b"\3"))]
)  # fmt: skip
TOO_LARGE = [
    ("a frame of 2^63 − 1 bytes", header(0x82, b"\x7f" + struct.pack(">Q", (1 << 63) - 1))),
    ("a frame of 2^32 bytes", header(0x82, b"\x7f" + struct.pack(">Q", 1 << 32))),
    ("a frame of 1 MiB and a byte", header(0x82, b"\x7f" + struct.pack(">Q", MEBIBYTE + 1))),
    ("text of 64 KiB and a byte", header(0x81, b"\x7f" + struct.pack(">Q", 65_537))),
    ("a fragment that is too much", frame(BINARY, b"x", fin=False) + header(0, b"\x7f" + struct.pack(">Q", MEBIBYTE))),
]  # fmt: skip
NOT_UTF_8 = [
    b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff", b"\x80", b"\xe2\x82", b"\xe2\x28\xa1",
    b"\xf0\x90\x28\xbc", b"\xf0\x9d\x84", b"\xed\xa0\x81\xed\xb0\x80",
]  # fmt: skip


async def joined(gateway: Gateway, room: Room, offer: str | None = None) -> RawSocket:
    """Joins, with compression if it is offered."""
    peer = await RawSocket.open(gateway, room.id, Sec_WebSocket_Extensions=offer)
    if offer is not None:
        assert "permessage-deflate" in peer.response["sec-websocket-extensions"]
    await peer.join()
    return peer


async def answer(peer: RawSocket) -> Frame:
    """Returns the next control message, pong or close; skips entries."""
    while True:
        received = await peer.receive()
        is_state = received.opcode == TEXT and b'"committed"' in received.payload
        if received.opcode != BINARY and not is_state:
            return received


async def is_closed_with(peer: RawSocket, *codes: int) -> None:
    """Checks that only a close frame with one of these codes follows, and then the end."""
    received = await answer(peer)
    assert received.opcode == CLOSE and received.close[0] in codes, received
    await peer.send(frame(CLOSE, received.payload[:2]))
    assert await closes_within(peer.connection, 10) == b""
    peer.connection.abort()


def table(cases: list[tuple[str, bytes]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("bytes_", [case[1] for case in cases], ids=[case[0] for case in cases])


@table(BROKEN)
async def test_invalid_framing_is_closed_with_1002(gateway: Gateway, bytes_: bytes) -> None:
    """Closes at the first byte that breaks a rule: the valid bytes behind it are not read."""
    async with Room(gateway) as room:
        peer = await joined(gateway, room)
        await peer.send(bytes_ + frame(PING, b"behind") + frame(TEXT, b'{"end": {}}'))
        await is_closed_with(peer, 1002)
        assert (await gateway.get(room.path)).status == 200


@table(TOO_LARGE)
async def test_an_announced_length_over_the_limit_is_closed_with_1009(
    gateway: Gateway, bytes_: bytes
) -> None:
    async with Room(gateway) as room:
        peer = await joined(gateway, room)
        await peer.send(bytes_)
        await is_closed_with(peer, 1009)


@pytest.mark.parametrize(
    "code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
)
async def test_valid_close_codes_are_answered(gateway: Gateway, code: int) -> None:
    async with Room(gateway) as room:
        peer = await joined(gateway, room)
        await peer.send(frame(CLOSE, struct.pack(">H", code) + b"bye" * 41), frame(PING, b"behind"))
        received = await answer(peer)
        assert received.opcode == CLOSE and received.payload[:2] == struct.pack(">H", code)
        assert await closes_within(peer.connection, 10) == b""
        peer.connection.abort()


@pytest.mark.parametrize("bad", NOT_UTF_8, ids=bytes.hex)
@pytest.mark.parametrize("offer", [None, DEFLATE], ids=["plain", "compressed"])
async def test_invalid_utf_8_is_closed_with_1007_in_any_fragmentation(
    gateway: Gateway, bad: bytes, offer: str | None
) -> None:
    async with Room(gateway) as room:
        for cuts in (1, 2, 1_000):
            peer = await joined(gateway, room, offer)
            text = b'{"profile": {"name": "' + bad + b'"}}'
            reserved = 0
            if offer is not None:
                text, reserved = compress(text), COMPRESSED
            await peer.send(in_fragments(TEXT, text, cuts, reserved))
            await is_closed_with(peer, 1007)


def in_fragments(opcode: int, data: bytes, size: int, reserved: int = 0) -> bytes:
    """Returns a message in fragments of a size."""
    pieces = [data[first : first + size] for first in range(0, len(data), size)] or [b""]
    return b"".join(
        frame(CONTINUATION if n else opcode, piece, fin=n == len(pieces) - 1, reserved=0 if n else reserved)
        for n, piece in enumerate(pieces)
    )


@pytest.mark.parametrize("offer", [None, DEFLATE, ALONE], ids=["plain", "takeover", "alone"])
async def test_a_message_in_single_bytes_with_pings_between_is_delivered(
    gateway: Gateway, offer: str | None
) -> None:
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        peer = await joined(gateway, room, offer)
        text, reserved = (compress(PROFILE), COMPRESSED) if offer else (PROFILE, 0)
        for n, byte in enumerate(text):
            await peer.send(
                frame(CONTINUATION if n else TEXT, bytes([byte]), fin=False, reserved=0 if n else reserved),
                frame(PING, b"%d" % n), frame(PONG), frame(CONTINUATION, b"", fin=False),
            )  # fmt: skip
            assert (await answer(peer)).payload == b"%d" % n
        await peer.send(frame(CONTINUATION))
        changed = await witness.system("participants", lambda change: change.get("changed"))
        assert changed["changed"][0]["name"] == "Zoë \N{MUSICAL SYMBOL G CLEF}"
        peer.connection.abort()


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
async def test_a_million_empty_fragments_are_harmless(gateway: Gateway, opcode: int) -> None:
    """The fragments are one small message, or are refused. Others continue to draw, and memory does not grow."""
    message = b'{"profile": {"name": "Ada"}}' if opcode == TEXT else note("in the end").encoded(1)
    async with unharmed(gateway, growth=8 * MEBIBYTE) as beside:
        room = Room(gateway)
        room.id = beside.session
        peer = await joined(gateway, room)
        empty = bytes([CONTINUATION, 0x80, 1, 2, 3, 4])
        await peer.send(frame(opcode, b"", fin=False) + empty * 1_000_000 + frame(CONTINUATION, message))
        await peer.send(frame(PING, b"are you there"))
        async with asyncio.timeout(20):
            received = await peer.receive()
            while received.opcode not in (PONG, CLOSE):
                received = await peer.receive()
        assert received.opcode == PONG or received.close[0] in (1008, 1009), received
        peer.connection.abort()


async def test_empty_fragments_of_many_clients_delay_nobody(gateway_with) -> None:
    """Forty clients that send only empty fragments get the same time slices as other clients."""
    gateway: Gateway = gateway_with("--reactors", "1")
    data = frame(BINARY, b"", fin=False) + bytes([0, 0x80, 1, 2, 3, 4]) * 5_000 + frame(CONTINUATION)
    async with unharmed(gateway, growth=16 * MEBIBYTE):
        room = Room(gateway)
        room.id = await gateway.create_session()
        peers = [await joined(gateway, room) for _ in range(40)]

        async def attack(peer: RawSocket) -> None:
            while not peer.connection.writer.is_closing():
                await peer.send(data)

        attacks = [asyncio.create_task(attack(peer)) for peer in peers]
        await asyncio.wait(attacks, timeout=1)
        for peer in peers:
            peer.connection.abort()
        await asyncio.gather(*attacks, return_exceptions=True)


@pytest.mark.parametrize("is_compressed", [False, True], ids=["plain", "compressed"])
async def test_a_mebibyte_in_fragments_of_one_byte_arrives(gateway: Gateway, is_compressed: bool) -> None:
    """1 MiB is allowed in any number of frames. It is delivered without a delay for others."""
    message = numbered(*[note(bytes([n]) * 262_000) for n in range(4)])
    if is_compressed:
        # Without matches and Huffman codes, so that the compressed form is as long.
        deflater = zlib.compressobj(0, wbits=-15)
        message = (deflater.compress(message) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
    async with unharmed(gateway, growth=24 * MEBIBYTE) as beside:
        room = Room(gateway)
        room.id = beside.session
        witness = await room.join("Witness")
        peer = await joined(gateway, room, DEFLATE if is_compressed else None)
        bare = bytes([0, 0x81, 0, 0, 0, 0])
        frames = bare.join([b"", *[bytes([byte]) for byte in message]])
        first = bytes([BINARY | (COMPRESSED if is_compressed else 0)]) + frames[1:]
        await peer.send(first + bytes([0x80, 0x80, 0, 0, 0, 0]))
        await witness.got(bytes([3]) * 262_000)
        peer.connection.abort()
        await room.__aexit__()


@pytest.mark.parametrize("offer", [DEFLATE, ALONE], ids=["takeover", "alone"])
@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
@pytest.mark.parametrize("size", [1 << 20, 100, 1], ids=["one frame", "100 bytes each", "a byte each"])
async def test_compression_bombs_are_closed_with_1009_at_the_limit(
    gateway: Gateway, offer: str, opcode: int, size: int
) -> None:
    """64 MiB in 64 KiB, from four clients at once: refused at the limit, before all is inflated."""
    async with Room(gateway) as room:
        data = in_fragments(opcode, bomb(), size, COMPRESSED) if size > 1 else b""
        if size == 1:
            key = bytes([0, 0x81, 0, 0, 0, 0])
            frames = key.join([b"", *[bytes([byte]) for byte in bomb()]])
            data = bytes([opcode | COMPRESSED]) + frames[1:] + frame(CONTINUATION)
        peers = [await joined(gateway, room, offer) for _ in range(4)]
        watch = Watch(gateway)
        await asyncio.gather(*[peer.send(data) for peer in peers])
        for peer in peers:
            await is_closed_with(peer, 1009)
        watch.end()
        assert watch.growth < most(12 * MEBIBYTE), f"{watch.growth:,} bytes more"


@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
async def test_compression_bombs_within_the_limit_delay_nobody(gateway_with, opcode: int) -> None:
    """The largest allowed messages in a thousandth of their size, repeatedly, from eight clients of the only reactor. Messages
    beyond the rate are not delivered, and participants of another session are not delayed."""
    gateway: Gateway = gateway_with("--reactors", "1")
    inflated = numbered(*[note(bytes(262_000)) for n in range(4)])
    if opcode == TEXT:
        inflated = b'{"profile": {"name": "' + b"x" * 65_500 + b'"}}'
    message = compress(inflated)
    assert len(message) < len(inflated) / 500
    async with unharmed(gateway, growth=48 * MEBIBYTE):
        room = Room(gateway)
        room.id = await gateway.create_session()
        peers = [await joined(gateway, room, ALONE) for _ in range(8)]
        data = frame(opcode, message, reserved=COMPRESSED) * (
            (200 if opcode == BINARY else 60) * MEBIBYTE // len(inflated)
        )

        async def attack(peer: RawSocket) -> None:
            reading = asyncio.create_task(peer.connection.reader.read(-1))
            await peer.send(data)
            await peer.send(frame(CLOSE, struct.pack(">H", 1000)))
            with contextlib.suppress(ConnectionError):
                await reading

        # The gateway may read a client that exceeds its rate as slowly as it likes.
        attacks = [asyncio.create_task(attack(peer)) for peer in peers]
        _, pending = await asyncio.wait(attacks, timeout=2)
        for peer in peers:
            peer.connection.abort()
        for left in pending:
            left.cancel()
        await asyncio.gather(*attacks, return_exceptions=True)


def finished(data: bytes) -> bytes:
    """Compresses a message with a final block (RFC 7692 §7.2.3.4)."""
    deflater = zlib.compressobj(9, wbits=-15)
    return deflater.compress(data) + deflater.flush(zlib.Z_FINISH) + b"\0"


RIGHT = [
    ("a final block", finished(PROFILE)),
    ("stored blocks only", b"\0" + struct.pack("<HH", len(PROFILE), 0xFFFF ^ len(PROFILE)) + PROFILE + b"\0"),
    ("many empty blocks before it", b"\0\0\0\xff\xff" * 1_000 + compress(PROFILE)),
    ("many empty blocks behind it", compress(PROFILE) + b"\0\0\xff\xff" + b"\0\0\0\xff\xff" * 1_000 + b"\0"),
]  # fmt: skip
WRONG = [
    ("a block of no type", b"\x06" + bytes(20)), ("rubbish", bytes(range(255, 0, -1))), ("a length that lies", b"\0\x05\0\x05\0hello\0"),
    ("a stored block cut short", b"\0\xff\0\0\xff" + b"{}"), ("codes that are none", b"\x04\xff\xff\xff\xff\xff\xff\xff"),
    ("a match before the beginning", compress(PROFILE)[:-1] + b"\xff" * 30),
]  # fmt: skip


@table(RIGHT)
@pytest.mark.parametrize("offer", [DEFLATE, ALONE], ids=["takeover", "alone"])
async def test_unusual_but_valid_compressed_messages_are_read(
    gateway: Gateway, bytes_: bytes, offer: str
) -> None:
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        peer = await joined(gateway, room, offer)
        for name in ("Zoë \N{MUSICAL SYMBOL G CLEF}", "Plain", "Zoë \N{MUSICAL SYMBOL G CLEF}"):
            plain = json.dumps({"profile": {"name": name}}).encode()
            await peer.send(
                frame(TEXT, plain) if name == "Plain" else frame(TEXT, bytes_, reserved=COMPRESSED)
            )
            await witness.wait_for(lambda name=name: names(witness)[-1:] == [name], f"the profile {name}")
        peer.connection.abort()


def names(witness: Client) -> list[str]:
    """Returns the participants' names, in order."""
    return [
        change["name"]
        for entry in witness.received if entry.is_system and entry.type == "participants"
        for change in json.loads(entry.payload).get("changed", [])
    ]  # fmt: skip


@table(WRONG)
@pytest.mark.parametrize("offer", [DEFLATE, ALONE], ids=["takeover", "alone"])
@pytest.mark.parametrize("opcode", [TEXT, BINARY], ids=["text", "binary"])
async def test_invalid_compressed_data_fails_the_connection(
    gateway: Gateway, bytes_: bytes, offer: str, opcode: int
) -> None:
    async with Room(gateway) as room:
        peer = await joined(gateway, room, offer)
        await peer.send(frame(opcode, bytes_, reserved=COMPRESSED))
        await is_closed_with(peer, 1002, 1007)


async def test_a_match_before_the_first_byte_fails(gateway: Gateway) -> None:
    """Such a match must not return bytes of another socket of the same reactor."""
    secret = b'{"profile": {"name": "the secret of somebody else"}}'
    deflater = zlib.compressobj(9, wbits=-15, zdict=secret)
    stolen = (deflater.compress(secret) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
    assert b"secret" not in stolen and len(stolen) < 15
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        for offer in (DEFLATE, ALONE) * 4:
            honest, thief = await joined(gateway, room, offer), await joined(gateway, room, offer)
            await honest.send(frame(BINARY, compress(secret), reserved=COMPRESSED))
            await thief.send(frame(TEXT, stolen, reserved=COMPRESSED))
            await is_closed_with(thief, 1002, 1007)
            honest.connection.abort()
        assert not any(b'"changed"' in entry.payload for entry in witness.received)


@pytest.mark.parametrize("opcode", [CLOSE, PING, PONG])
async def test_control_frames_are_never_compressed(gateway: Gateway, opcode: int) -> None:
    """RFC 7692 §6.1."""
    async with Room(gateway) as room:
        peer = await joined(gateway, room, DEFLATE)
        await peer.send(frame(opcode, compress(b"?"), reserved=COMPRESSED))
        await is_closed_with(peer, 1002)


async def test_rsv1_belongs_to_the_first_fragment_only(gateway: Gateway) -> None:
    """RFC 7692 §6.1: RSV1 on a continuation frame is a protocol error."""
    async with Room(gateway) as room:
        for reserved in (0, COMPRESSED):
            peer = await joined(gateway, room, DEFLATE)
            await peer.send(frame(TEXT, b"{", fin=False, reserved=reserved))
            await peer.send(frame(CONTINUATION, b"}", reserved=COMPRESSED))
            await is_closed_with(peer, 1002)


async def test_every_flag_on_an_entry_too_short_for_it(gateway: Gateway) -> None:
    """Section 3: each of the 256 flag bytes with every length is refused or closed, and the others' state is complete."""
    async with unharmed(gateway, growth=24 * MEBIBYTE):
        body = struct.pack(">BI", 1, 1) + bytes(15) + b"\7" + struct.pack(">H", 2) + bytes(7)
        for flags in range(256):
            room = Room(gateway)
            room.id = await gateway.create_session()
            peer = await joined(gateway, room)
            for length in (6, 8, 22, 29):
                entry = struct.pack(">IB", length, flags) + body
                await peer.send(frame(BINARY, entry[: 4 + length]))
                await peer.send(frame(PING, b"?"))
                received = await peer.receive()
                while received.opcode not in (PONG, CLOSE):
                    received = await peer.receive()
                if received.opcode == CLOSE:
                    assert received.close[0] in (1008, 4029), received
                    assert received.close[1]["code"] in ("bad-entry", "rate-limited")
                    peer.connection.abort()
                    peer = await joined(gateway, room)
            peer.connection.abort()


async def test_a_huge_list_of_targets_is_refused(gateway: Gateway) -> None:
    """65,535 targets announced, 1,001 sent, none present: the announced length is never trusted."""
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        many = Outgoing("N", b"", RELIABLE | 0x08, targets=[1] * 65_535).encoded(1)
        await ada.raw(many, note("next").encoded(2))
        assert (await ada.error())["code"] == "bad-entry"
        await ada.got(b"next")
        lies = struct.pack(">IBBIH", 9, 9, 1, 3, 65_535) + b"N"
        await ada.raw(lies)
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (1008, "bad-entry")
