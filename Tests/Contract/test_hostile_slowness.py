"""P5, P6: slow, silent and half-closed connections are ended within the time of a limit."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import time
from collections.abc import Callable

import pytest

from attachments import Journal, content
from gateway import Gateway, trusting
from hostile import (
    IMPATIENT,
    LIMIT,
    MEBIBYTE,
    SLACK,
    Held,
    closes_within,
    is_as_before,
    many,
    peers_of,
    plain_socket,
    unharmed,
)
from http1 import HTTPConnection, request_bytes
from polling import until
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, frame, upgrade_fields
from room import Room, append, note, replace
from slow import slow_connection

pytestmark = pytest.mark.alone

DRIP = 0.009


@pytest.fixture
def impatient(gateway_with) -> Gateway:
    """Starts a gateway with short time limits."""
    return gateway_with(**IMPATIENT)


async def drip(connection: HTTPConnection, data: bytes, over: float) -> None:
    """Sends byte by byte, evenly over some seconds, until the gateway closes."""
    clock = asyncio.get_running_loop().time
    began = clock()
    for n, byte in enumerate(data):
        if connection.reader.at_eof() or connection.writer.is_closing():
            return
        await connection.send(bytes([byte]))
        while clock() - began < over * n / len(data):
            await asyncio.sleep(DRIP)


async def heads(gateway: Gateway) -> None:
    """headSeconds limits the whole head, even if bytes keep arriving; the response is 408."""
    head = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\nX: ".encode() + b"x" * 200

    async def attack() -> None:
        async with await gateway.connect() as connection:
            dripping = asyncio.create_task(drip(connection, head, 60))
            answer = await closes_within(connection, LIMIT + SLACK)
            dripping.cancel()
            assert answer.startswith(b"HTTP/1.1 408 "), answer

    await asyncio.gather(*[attack() for _ in range(100)])


async def bodies(gateway: Gateway) -> None:
    """bodyStallSeconds limits the pause within a body; the response is 408."""
    head = request_bytes("POST", "/api/sessions", gateway.host, {"Content-Length": "60000"})

    async def attack() -> None:
        async with await gateway.connect() as connection:
            await connection.send(head + b" " * 50_000)
            answer = await closes_within(connection, LIMIT + SLACK)
            assert answer.startswith(b"HTTP/1.1 408 "), answer

    await asyncio.gather(*[attack() for _ in range(100)])


async def slow_bodies(gateway: Gateway) -> None:
    """A slow body without such a pause is accepted."""
    journal = await Journal.open(gateway)
    fields = {"Transfer-Encoding": "chunked", "Connection": "close"}
    head = request_bytes("POST", "/api/sessions", gateway.host, fields)
    connections = [await gateway.connect() for _ in range(50)]
    for connection in connections:
        await connection.send(head)
    connections += [await journal.begin(Content_Length="60") for _ in range(30)]
    coded = b"1\r\n{\r\n" + b"1;x=y\r\n \r\n" * 8 + b"1\r\n}\r\n0\r\n\r\n"
    await asyncio.gather(
        *[drip(connection, coded, 1.5 * LIMIT) for connection in connections[:50]],
        *[drip(connection, b"x" * 60, 1.5 * LIMIT) for connection in connections[50:]],
    )
    for connection in connections:
        assert (await connection.receive()).status == 201
        connection.abort()


async def silent_sockets(gateway: Gateway) -> None:
    """Connections without a byte are closed without a response, on the TLS port too."""
    with many() as held:
        held += [plain_socket(gateway, tls=n % 2 == 0) for n in range(500)]
        deadline = time.monotonic() + LIMIT + SLACK
        for connected in held:
            assert await asyncio.to_thread(ends, connected, deadline)


async def unfinished_handshakes(gateway: Gateway) -> None:
    """Forty connections in each stage; headSeconds limits them too."""
    first = hello()
    with many() as held:
        stopped = {
            name: [plain_socket(gateway, cut(first), tls=True) for _ in range(40)] for name, cut in STAGES
        }
        for sockets in stopped.values():
            held += sockets
        deadline = time.monotonic() + LIMIT + SLACK
        kept = [
            name
            for name, sockets in stopped.items()
            for connected in sockets
            if not await asyncio.to_thread(ends, connected, deadline)
        ]
        assert not kept, {name: kept.count(name) for name in kept}


async def slow_handshake(gateway: Gateway) -> None:
    async with await HTTPConnection.open(gateway.https) as connection:
        dripping = asyncio.create_task(drip(connection, hello(), 60))
        await closes_within(connection, LIMIT + SLACK)
        dripping.cancel()


async def silence_behind_a_handshake(gateway: Gateway) -> None:
    connections = [await gateway.connect(tls=True) for _ in range(20)]
    for connection in connections:
        assert await closes_within(connection, LIMIT + SLACK) == b""
        connection.abort()


def hello() -> bytes:
    """A whole ClientHello."""
    outgoing = ssl.MemoryBIO()
    try:
        trusting().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()
    raise AssertionError("a handshake without an answer")


STAGES: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("one byte", lambda hello: hello[:1]),
    ("a record's head", lambda hello: hello[:5]),
    ("half a hello", lambda hello: hello[: len(hello) // 2]),
    ("all but a byte of a hello", lambda hello: hello[:-1]),
    ("a hello and no more", lambda hello: hello),
    ("a hello in records of a byte", lambda hello: b"".join(hello[:3] + b"\0\1" + hello[n : n + 1] for n in range(5, 60))),
    ("a record of 16 KiB announced", lambda _: b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc"),
    ("a hello of 16 MiB announced", lambda _: b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(16_380)),
]  # fmt: skip


def ends(connected: socket.socket, deadline: float) -> bool:
    """Returns true if the gateway closes the connection before the deadline."""
    try:
        while True:
            connected.settimeout(max(0.001, deadline - time.monotonic()))
            if not connected.recv(65_536):
                return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


PARTIAL = [
    ("a byte of a head", b"\x82"), ("half a length", b"\x82\xfe\x01"), ("half a mask", b"\x82\x85\1\2"), ("no payload", b"\x82\x85\1\2\3\4"),
    ("half a ping", frame(PING, b"x" * 50)[:20]), ("a byte of a ping", b"\x89"), ("half a close", frame(CLOSE, b"\x03\xe8")[:5]), ("a fragment", frame(TEXT, b"{", fin=False)),
    ("a fragment and a ping", frame(TEXT, b"{", fin=False) + frame(PING)), ("an empty fragment", frame(BINARY, b"", fin=False)),
]  # fmt: skip


async def what_began_and_never_ends(gateway: Gateway) -> None:
    """messageSeconds limits every begun message, even a single byte of a frame header."""
    async with Room(gateway) as room:
        peers = {name: await RawSocket.open(gateway, room.id) for name, _ in PARTIAL}
        for name, partial in PARTIAL:
            await peers[name].join()
            await peers[name].send(partial)
        for name, peer in peers.items():
            async with asyncio.timeout(LIMIT + SLACK):
                code, reason = (await peer.receive_until(CLOSE)).close
            assert code in (1008, 4008) and reason["detail"], name
            peer.connection.abort()


async def trickling_messages(gateway: Gateway) -> None:
    """messageSeconds limits the whole message, even if bytes keep arriving."""
    trickles = [
        [frame(BINARY, b"", fin=False)] + [frame(CONTINUATION, b"", fin=False)] * 500,
        [frame(BINARY, b"", fin=False)] + [frame(CONTINUATION, b"x", fin=False)] * 500,
        [bytes([byte]) for byte in frame(BINARY, bytes(500))],
        [frame(TEXT, b"{", fin=False)] + [frame(PING)] * 500,
    ]

    async def attack(pieces: list[bytes]) -> None:
        peer = await RawSocket.open(gateway, room.id)
        await peer.join()
        closing = asyncio.create_task(peer.receive_until(CLOSE))
        began = time.monotonic()
        for n, piece in enumerate(pieces):
            await peer.send(piece)
            while not closing.done() and time.monotonic() - began < 3 * LIMIT * n / len(pieces):
                await asyncio.sleep(DRIP)
            if closing.done():
                break
        assert (await closing).close[0] in (1008, 4008)
        assert time.monotonic() - began < LIMIT + SLACK
        peer.connection.abort()

    async with Room(gateway) as room:
        await asyncio.gather(*map(attack, trickles))


async def pings_instead_of_a_join(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        peer = await RawSocket.open(gateway, room.id)
        closing = asyncio.create_task(peer.receive_until(CLOSE))
        began = time.monotonic()
        while not closing.done():
            await peer.send(frame(PING, b"not yet"), frame(PONG))
            await asyncio.wait([closing], timeout=0.05)
            assert time.monotonic() - began < LIMIT + SLACK
        code, reason = (await closing).close
        assert (code, reason["code"]) == (4001, "not-joined")
        peer.connection.abort()


async def takers_of_nothing(gateway: Gateway) -> None:
    """A download, pipelined requests, and a body that never arrives: each connection is ended."""
    large = await (await Journal.open(gateway)).add(content(4 * MEBIBYTE))
    asked = [
        request_bytes("GET", large["url"], gateway.host), request_bytes("GET", "/api/limits", gateway.host) * 2_000,
        request_bytes("POST", "/api/sessions", gateway.host, {"Expect": "100-continue", "Content-Length": "10"}),
    ]  # fmt: skip
    held = [await slow_connection(gateway) for _ in asked]
    for connection, data in zip(held, asked, strict=True):
        await connection.send(data)
    names = {connection.writer.get_extra_info("sockname")[1] for connection in held}
    await until(lambda: not names & peers_of(gateway), "they are given up", LIMIT + 10, every=0.1)
    for connection in held:
        connection.abort()


async def who_never_answers_a_close(gateway: Gateway) -> None:
    """RFC 6455 §7.1.1: the server closes the TCP connection, and need not wait for the client's close frame."""
    async with Room(gateway) as room:
        peers = [await RawSocket.open(gateway, room.id) for _ in range(20)]
        for n, peer in enumerate(peers):
            if n % 2:
                await peer.join()
            await peer.send(frame(3, b"?"))
            assert (await peer.receive_until(CLOSE)).close[0] == 1002
        names = {peer.connection.writer.get_extra_info("sockname")[1] for peer in peers}
        await until(lambda: not names & peers_of(gateway), "they are given up", 10, every=0.1)
        for peer in peers:
            peer.connection.abort()


ATTACKS = [
    heads, bodies, slow_bodies, silent_sockets, unfinished_handshakes, slow_handshake, silence_behind_a_handshake,
    what_began_and_never_ends, trickling_messages, pings_instead_of_a_join, takers_of_nothing, who_never_answers_a_close,
]  # fmt: skip


async def test_slow_connections_are_closed_in_time(impatient: Gateway) -> None:
    """All cases at once, because each waits for a limit. No resources stay in use."""
    before = await Held.by(impatient)
    async with unharmed(impatient, growth=48 * MEBIBYTE):
        ended = await asyncio.gather(*[attack(impatient) for attack in ATTACKS], return_exceptions=True)
        failed = {attack.__name__: repr(error) for attack, error in zip(ATTACKS, ended, strict=True) if error}
        assert not failed, failed
    await is_as_before(impatient, before)


@pytest.mark.seconds(400)
async def test_thousands_of_silent_connections_cost_little(
    gateway_with, request: pytest.FixtureRequest
) -> None:
    """Half of them over TLS, half upgraded: each costs little memory, and two participants continue to draw."""
    count = 10_000 if request.config.getoption("--full") else 2_000
    gateway: Gateway = gateway_with(headSeconds=300, joinSeconds=300, connections=count + 50)
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=count * 16_000 + 16 * MEBIBYTE) as beside:
        head = request_bytes("GET", f"/api/sessions/{beside.session}/socket", gateway.host, upgrade_fields())
        context = trusting()
        with many() as held:

            def shake() -> None:
                for n in range(count):
                    connected = plain_socket(gateway, tls=n % 2 == 0)
                    if n % 2 == 0:
                        connected = context.wrap_socket(connected, server_hostname="localhost")
                    else:
                        connected.sendall(head)
                        assert connected.recv(12) == b"HTTP/1.1 101"
                    held.append(connected)

            began = time.monotonic()
            await asyncio.to_thread(shake)
            took = time.monotonic() - began
            now = await Held.by(gateway)
            assert now.sockets - before.sockets >= count
            print(f"{count} in {took:.1f} s, {(beside.watch.growth) / count:,.0f} bytes each")
    await is_as_before(gateway, before)


async def test_refused_connections_do_not_affect_open_ones(gateway_with) -> None:
    gateway: Gateway = gateway_with(connections=40, headSeconds=LIMIT, joinSeconds=LIMIT)
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=8 * MEBIBYTE):
        with many() as held:
            for n in range(1_000):
                held.append(plain_socket(gateway, tls=n % 3 == 0))
    # The connections within the limit are closed first; until then the metrics cannot be requested.
    await until(lambda: len(peers_of(gateway)) < 10, "the held connections are gone")
    await is_as_before(gateway, before)


async def test_five_hundred_handshakes_at_once(gateway_with) -> None:
    # The first connections are silent until the last one is open.
    gateway: Gateway = gateway_with(headSeconds=60)
    first = hello()
    async with unharmed(gateway, growth=48 * MEBIBYTE):
        with many() as held:
            held += [plain_socket(gateway, tls=True) for _ in range(500)]
            for connected in held:
                connected.sendall(first)
            for connected in held:
                connected.settimeout(10)
                await asyncio.to_thread(connected.recv, 5)


async def test_renegotiation_is_refused(gateway: Gateway) -> None:
    """A client that requests renegotiation is refused without work (RFC 9325 §3.5)."""
    client = await asyncio.create_subprocess_exec(
        "openssl", "s_client", "-connect", f"127.0.0.1:{gateway.https[1]}", "-tls1_2",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    assert client.stdin is not None and client.stdout is not None
    try:
        await client.stdout.readuntil(b"Verify return code")
        client.stdin.write(b"R\n")
        async with asyncio.timeout(10):
            said = await client.stdout.read()
        assert b"RENEGOTIATING" in said and b"no renegotiation" in said, said
    finally:
        if client.returncode is None:
            client.kill()
        await client.wait()


async def test_half_closed_sockets_get_their_response_and_are_closed(impatient: Gateway) -> None:
    """A client that closes its sending direction still gets its response, and then no resources stay in use."""
    before = await Held.by(impatient)
    large = await (await Journal.open(impatient)).add(content(3 * MEBIBYTE))
    asked = [
        (request_bytes("GET", "/healthz", impatient.host), b"HTTP/1.1 200 "),
        (request_bytes("GET", large["url"], impatient.host), b"HTTP/1.1 200 "),
        (request_bytes("POST", "/api/sessions", impatient.host, {}, b"{}"), b"HTTP/1.1 201 "),
    ]
    for data, begins in asked:
        async with await impatient.connect() as connection:
            await connection.send(data)
            connection.writer.write_eof()
            came = await closes_within(connection, 2 + SLACK)
            assert came.startswith(begins), came[:100]
            if large["url"].encode() in data:
                assert came.endswith(content(3 * MEBIBYTE)[-100:])
    await is_as_before(impatient, before)


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HT", b"POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"],
    ids=["nothing", "half a head", "half a body"],
)
async def test_a_request_cut_by_the_end_of_input_is_closed_at_once(gateway: Gateway, sent: bytes) -> None:
    """With limits of 10 s for a head and 20 s for a body, the end of input is detected at once."""
    async with await gateway.connect() as connection:
        await connection.send(sent)
        connection.writer.write_eof()
        await closes_within(connection, SLACK)


async def test_half_closed_websockets_are_closed(impatient: Gateway) -> None:
    before = await Held.by(impatient)
    async with Room(impatient) as room:
        for is_joined in (False, True):
            async with await RawSocket.open(impatient, room.id) as peer:
                if is_joined:
                    await peer.join()
                await peer.send(frame(BINARY, bytes(1_000))[:500])
                peer.connection.writer.write_eof()
                await closes_within(peer.connection, SLACK)
    await is_as_before(impatient, before)


async def test_data_after_a_close_frame_does_not_keep_a_connection(impatient: Gateway) -> None:
    """Data after a close frame is ignored, and does not keep the connection open."""
    async with Room(impatient) as room:
        witness = await room.join("Witness")
        async with await RawSocket.open(impatient, room.id) as peer:
            await peer.join()
            await peer.send(frame(CLOSE, struct.pack(">H", 1000)))
            await peer.send(frame(BINARY, note("after the close").encoded(1)), frame(TEXT, b'{"end": {}}'))

            async def sends_on() -> None:
                while not peer.connection.writer.is_closing():
                    await peer.send(frame(BINARY, bytes(10_000)))
                    await asyncio.sleep(DRIP)

            sending = asyncio.create_task(sends_on())
            await closes_within(peer.connection, 10)
            sending.cancel()
        witness.send(note("still here"))
        await witness.got(b"still here")
        assert not any(e.payload == b"after the close" for e in witness.received)
        assert witness.close is None


@pytest.mark.parametrize("where", ["live", "catching up", "downloading", "many answers"])
async def test_stopped_readers_cost_little_memory(gateway_with, where: str) -> None:
    """Forty clients that read nothing, with megabytes pending, in a session where two participants draw."""
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=8 << 20, graceSeconds=1
    )
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=64 * MEBIBYTE) as beside:
        room = Room(gateway)
        room.id = beside.session
        ada = await room.join("Ada")
        large = [append(n, f"{n}" + "x" * 60_000) for n in range(60)]
        ask = request_bytes(
            "GET", f"/api/sessions/{beside.session}/socket", gateway.host, upgrade_fields()
        ) + frame(TEXT, b'{"join": {}}')
        if where == "catching up":
            await ada.send_paced(*large, at_once=10)
        if where == "downloading":
            added = await Journal(gateway, beside.session).add(content(8 * MEBIBYTE))
            ask = request_bytes("GET", added["url"], gateway.host)
        if where == "many answers":
            ask = request_bytes("GET", "/api/limits", gateway.host) * 400
        stopped = [await slow_connection(gateway) for _ in range(40)]
        for connection in stopped:
            await connection.send(ask)
            await connection.reader.readexactly(12)
        if where == "live":
            await ada.send_paced(*large, at_once=10)
        await ada.send_paced(*[replace(n, "y" * 60_000) for n in range(50)], at_once=10)
        for connection in stopped:
            connection.abort()
        await room.__aexit__()
    await is_as_before(gateway, before)
