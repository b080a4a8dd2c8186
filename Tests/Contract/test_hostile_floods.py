"""P5, P6: floods of every kind are limited and answered with an error, and delay no other client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
import time
from pathlib import Path

import pytest
import websockets

from attachments import Journal
from gateway import Gateway, brief_seconds
from hostile import IMPATIENT, MEBIBYTE, Held, all_that_comes, is_as_before, many, plain_socket, unharmed
from http1 import HTTPConnection, request_bytes
from polling import until
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, frame, upgrade_fields
from room import Room, note
from slow import slow_connection
from tus import Upload

pytestmark = pytest.mark.alone

ONE = ("--reactors", "1")
"""One reactor serves both the attackers and the waiting clients."""


@pytest.fixture
def busy(gateway_with) -> Gateway:
    """Starts a gateway with one reactor, and with limits that end waiting connections."""
    return gateway_with(*ONE, **IMPATIENT)


async def joined(gateway: Gateway, session: str, tls: bool = False) -> RawSocket:
    peer = await RawSocket.open(gateway, session, tls)
    await peer.join()
    return peer


async def pour(connection: HTTPConnection, data: bytes, most: int, patience: float = 1.0) -> int:
    """Sends the data repeatedly until the socket accepts no more. Returns an upper bound of the sent bytes."""
    sent = 0
    while sent < most and not connection.writer.is_closing():
        sending = asyncio.create_task(connection.send(data))
        done, _ = await asyncio.wait([sending], timeout=patience)
        if not done:
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
            break
        sent += len(data)
    return sent


async def reads(peer: RawSocket, until_: bytes) -> int:
    """Reads until a pong with this payload, and returns the number of pongs."""
    pongs = 0
    while True:
        received = await peer.receive()
        assert received.opcode != CLOSE, received
        pongs += received.opcode == PONG
        if received.opcode == PONG and received.payload == until_:
            return pongs


@pytest.mark.parametrize("tls", [False, True], ids=["ws", "wss"])
async def test_a_flood_of_pings_whose_pongs_are_read(busy: Gateway, tls: bool) -> None:
    """RFC 6455 §5.5.3: only the newest ping needs an answer. It is answered, and others continue to draw."""
    async with unharmed(busy) as beside:
        peer = await joined(busy, beside.session, tls)
        pings = frame(PING, b"x" * 100) * 1_000
        reading = asyncio.create_task(reads(peer, b"the last"))
        for _ in range(100):
            await peer.send(pings)
        await peer.send(frame(PING, b"the last"))
        print(f"{await reading} pongs for 100,001 pings")
        peer.connection.abort()


async def test_floods_of_pings_whose_pongs_are_not_read(busy: Gateway) -> None:
    """The gateway stops reading when its answers are not read, and buffers few of them."""
    before = await Held.by(busy)
    async with unharmed(busy, growth=16 * MEBIBYTE) as beside:
        head = request_bytes(
            "GET", f"/api/sessions/{beside.session}/socket", busy.host, upgrade_fields()
        ) + frame(TEXT, b'{"join": {}}')
        peers = [await slow_connection(busy) for _ in range(40)]
        for peer in peers:
            await peer.send(head)
            await peer.reader.readuntil(b'"caughtUp"')
        pings = frame(PING, b"x" * 125) * 1_000
        sent = await asyncio.gather(*[pour(peer, pings, 64 * MEBIBYTE, 0.3) for peer in peers])
        assert max(sent) < 32 * MEBIBYTE, "it goes on reading without its answers being taken"
        print(f"took {sum(sent) / len(sent) / MEBIBYTE:.1f} MiB of each")
        for peer in peers:
            peer.abort()
    await is_as_before(busy, before)


@pytest.mark.parametrize(
    "frames",
    [
        frame(PONG, b"x" * 100), frame(BINARY, b""), frame(PONG),
        frame(TEXT, b"", fin=False) + frame(CONTINUATION, b'{"profile": {}}'),
        frame(BINARY, b"".join([note("once").encoded(1)] * 20)), frame(BINARY, b"".join([note("gap").encoded(9)] * 20)),
    ],
    ids=["pongs", "empty binary messages", "empty pongs", "empty profiles", "repeats", "gaps"],
)  # fmt: skip
async def test_a_quarter_million_ineffective_messages(busy: Gateway, frames: bytes) -> None:
    async with unharmed(busy, growth=8 * MEBIBYTE) as beside:
        peer = await joined(busy, beside.session)
        reading = asyncio.create_task(all_that_comes(peer.connection))
        await pour(peer.connection, frames * 5_000, 250_000 * len(frames), 10)
        await peer.send(frame(PING, b"the end"), frame(CLOSE, struct.pack(">H", 1000)))
        came = await reading
        # Either it processed all messages, or it refused some with a reason.
        assert b"the end" in came or b'"code":"rate-limited"' in came.replace(b" ", b""), came[-300:]


async def test_a_client_that_ignores_its_message_rate_is_closed(gateway_with) -> None:
    """Section 3.1: ten ignored refusals, then no more reading, then 4029. Others continue to draw."""
    gateway: Gateway = gateway_with(*ONE, entriesPerSecond=200)
    async with unharmed(gateway, growth=24 * MEBIBYTE) as beside:
        peers = [await joined(gateway, beside.session) for _ in range(8)]

        async def attack(peer: RawSocket) -> int:
            # Each sequence twenty times: repetitions of accepted entries, and of refused ones.
            again = [note("again").encoded(n) for n in range(1, 1_001) for _ in range(20)]
            data = b"".join(frame(BINARY, entry) for entry in again)
            closing = asyncio.create_task(peer.receive_until(CLOSE))
            while not closing.done() and not peer.connection.writer.is_closing():
                await asyncio.wait([asyncio.create_task(peer.send(data)), closing], timeout=1)
            code, reason = (await closing).close
            assert reason["code"] == "rate-limited"
            return code

        codes = await asyncio.gather(*[attack(peer) for peer in peers])
        assert set(codes) == {4029}
        for peer in peers:
            peer.connection.abort()


async def test_control_messages_have_a_rate_in_bytes(gateway_with) -> None:
    """Section 3.1: a control message counts as an entry, so its bytes count too: 100,000 at once, then 50,000 a
    second."""
    gateway: Gateway = gateway_with(*ONE, bytesPerSecond=50_000)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        said = json.dumps({"activity": {"title": "t", "payload": "p" * 10_000}})
        began = time.monotonic()
        await ada.raw(*[said] * 40)
        error = await ada.error()
        assert error["code"] == "rate-limited" and error["retryAfterMs"] >= 1
        await ada.say(profile={"name": "x"})
        # Ten at once, and five more in each second.
        assert sum(entry.type == "activity" for entry in ada.received) <= 12 + 5 * (time.monotonic() - began)


@pytest.mark.parametrize("control", ["profile", "activity"])
async def test_a_client_that_ignores_its_control_rate_is_closed(gateway_with, control: str) -> None:
    gateway: Gateway = gateway_with(*ONE, entriesPerSecond=200, bytesPerSecond=100_000)
    async with unharmed(gateway, growth=24 * MEBIBYTE) as beside:
        peers = [await joined(gateway, beside.session) for _ in range(4)]
        said = {"profile": {"name": "Changed"}, "activity": {"title": "t", "payload": "p" * 10_000}}
        data = frame(TEXT, json.dumps({control: said[control]}).encode())

        async def attack(peer: RawSocket) -> None:
            reading = asyncio.create_task(peer.receive_until(CLOSE))
            await pour(peer.connection, data * 100, 5_000 * len(data))
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await peer.send(frame(CLOSE, struct.pack(">H", 1000)))
                async with asyncio.timeout(20):
                    code, _ = (await reading).close
                assert code in (4029, 1000)
            peer.connection.abort()

        await asyncio.gather(*[attack(peer) for peer in peers])


async def test_endless_joins_and_disconnects(gateway_with, request: pytest.FixtureRequest) -> None:
    """Former participants beyond pastParticipants are forgotten. Two others continue to draw without delay."""
    gateway: Gateway = gateway_with(*ONE, graceSeconds=1, pastParticipants=100)
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=24 * MEBIBYTE) as beside:
        head = request_bytes(
            "GET", f"/api/sessions/{beside.session}/socket", gateway.host, upgrade_fields()
        ) + frame(TEXT, b'{"join": {"name": "Comes and goes"}}')

        def attack() -> int:
            told = 0
            for n in range(10_000 if request.config.getoption("--full") else 500):
                connected = plain_socket(gateway, head)
                if n % 3 == 0:
                    connected.settimeout(10)
                    told += b"joined" in connected.recv(65_536) + connected.recv(65_536)
                connected.close()
            return told

        assert await asyncio.to_thread(attack) > 0
    await is_as_before(gateway, before)


async def test_endless_resumes_are_one_participant(busy: Gateway) -> None:
    before = await Held.by(busy)
    async with unharmed(busy, growth=16 * MEBIBYTE) as beside, Room(busy) as room:
        room.id = beside.session
        ada = await room.join("Ada")
        number = ada.number
        message = frame(TEXT, json.dumps({"join": ada.resume()}).encode())
        head = request_bytes("GET", f"{room.path}/socket", busy.host, upgrade_fields())
        with many() as held:

            def attack() -> None:
                held.extend(plain_socket(busy, head + message) for _ in range(500))

            await asyncio.to_thread(attack)
            assert (await ada.closed())[0] == 4009
            ben = await room.join("Ben")
            assert sum(p["number"] == number for p in ben.retained.people.values()) == 1
            assert (await busy.session(room.id))["participants"] <= 4
    await is_as_before(busy, before)


async def test_tokens_cannot_be_guessed(busy: Gateway) -> None:
    """Wrong tokens of every length: each gets a new participant or a refusal, and never another participant."""
    async with Room(busy) as room:
        ada = await room.join("Ada")
        assert ada.token is not None
        guesses = [
            "",
            "A",
            ada.token[:-1],
            ada.token + "A",
            ada.token.swapcase(),
            "A" * 22,
            "\0" * 22,
            "é" * 11,
            "x" * 50_000,
        ]
        for guess in guesses:
            stranger = await room.connect()
            stranger.epoch, stranger.after = ada.epoch, 0
            resume = {"token": guess, "epoch": ada.epoch, "after": 0, "next": 1}
            await stranger.say(join={"resume": resume})
            await stranger.wait_for(lambda s=stranger: s.controls or s.close, "an answer")
            if stranger.all_controls("joined"):
                assert stranger.joined["resumed"] is False
                assert stranger.joined["participant"]["id"] != ada.id
            await stranger.cut()
        assert ada.close is None


async def test_concurrent_and_repeated_ends(busy: Gateway) -> None:
    before = await Held.by(busy)
    async with unharmed(busy):
        for _ in range(5):
            async with Room(busy) as room:
                peers = [await joined(busy, room.id) for _ in range(30)]
                for peer in peers:
                    await peer.send(frame(TEXT, b'{"end": {}}') * 20)
                for peer in peers:
                    code, reason = (await peer.receive_until(CLOSE)).close
                    assert (code, reason["code"]) == (4010, "ended")
                    peer.connection.abort()
                (await busy.get(room.path)).problem(410, "ended")
    await is_as_before(busy, before)


async def test_sessions_beyond_the_rate_are_429_and_cost_nothing(gateway_with) -> None:
    gateway: Gateway = gateway_with(*ONE, sessionsPerAddressPerMinute=20)
    made, began = 1, time.monotonic()
    async with unharmed(gateway, growth=8 * MEBIBYTE):
        data = request_bytes("POST", "/api/sessions", gateway.host, {}, b"{}")
        async with await gateway.connect() as connection:
            sending = asyncio.create_task(connection.send(data * 3_000))
            for n in range(3_000):
                response = await connection.receive()
                made += response.status == 201
                if response.status != 201:
                    problem = response.problem(429, "too-many")
                    assert problem["limit"] == 20 and problem["retryAfterMs"] > 0
                    assert n >= 19
            await sending
    assert made <= 21 + (time.monotonic() - began) / 3, "20 a minute, and what comes back of them in this time"
    assert (await gateway.metrics())["drawtogether_sessions"] <= made


@pytest.mark.parametrize(
    ("method", "target"),
    [("HEAD", "/"), ("GET", "/"), ("GET", "/nothing"), ("GET", "/metrics")],
)
async def test_pipelined_requests_whose_responses_are_not_read(
    busy: Gateway, method: str, target: str
) -> None:
    """Tens of thousands of pipelined requests on forty connections: the gateway stops reading, and buffers few
    responses."""
    before = await Held.by(busy)
    async with unharmed(busy, growth=16 * MEBIBYTE):
        connections = [await slow_connection(busy) for _ in range(40)]
        data = request_bytes(method, target, busy.host) * 200
        sent = await asyncio.gather(*[pour(c, data, 16 * MEBIBYTE, 0.3) for c in connections])
        print(f"took {sum(sent) / len(sent) / MEBIBYTE:.2f} MiB of each")
        assert max(sent) < 12 * MEBIBYTE
        for connection in connections:
            connection.abort()
    await is_as_before(busy, before)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
async def test_forty_thousand_requests_whose_responses_are_read(busy: Gateway, method: str) -> None:
    async with unharmed(busy, growth=8 * MEBIBYTE):
        connections = [await busy.connect() for _ in range(40)]
        target = "/api/sessions" if method == "OPTIONS" else "/"
        last = request_bytes(method, target, busy.host, {"Connection": "close"})
        readings = [asyncio.create_task(all_that_comes(connection)) for connection in connections]
        for connection in connections:
            await connection.send(request_bytes(method, target, busy.host) * 1_000 + last)
        for came in await asyncio.gather(*readings):
            assert came.count(b"HTTP/1.1 20") == 1_001


@pytest.mark.seconds(100)
async def test_uploads_created_and_never_sent(gateway_with) -> None:
    """Uploads beyond attachmentsPerSession and the rate are refused. Participants in the session get few messages."""
    # No upload must expire before the last one is refused.
    keep = 4 * brief_seconds()
    gateway: Gateway = gateway_with(*ONE, attachmentsPerSession=50, uploads=60, uploadKeepSeconds=keep)
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=8 * MEBIBYTE) as beside:
        journal = Journal(gateway, beside.session)
        statuses = []
        for _ in range(300):
            response = await Upload.creation(journal, 1_000_000)
            statuses.append(response.status)
            if response.status != 201:
                response.problem(response.status)
        assert statuses.count(201) <= 50 and set(statuses) <= {201, 413, 429, 503}, set(statuses)
        assert len(await journal.list()) == statuses.count(201)
    await is_as_before(gateway, before, 20 + keep)


async def test_more_sockets_than_descriptors_do_not_affect_others(
    executable: str, new_gateway, tmp_path: Path
) -> None:
    """The system gives fewer descriptors than `connections` allows: connected clients are unaffected, and the loop
    does not spin."""
    few = tmp_path / "few"
    few.write_text(f'#!/bin/sh\nulimit -n 120\nexec "{executable}" "$@"\n')
    few.chmod(0o755)
    gateway = Gateway(str(few), tmp_path / "gateway", "--reactors", "1", headSeconds=60)
    try:
        async with unharmed(gateway, growth=8 * MEBIBYTE):
            before = await Held.by(gateway)
            with many() as held:
                held += [plain_socket(gateway) for _ in range(300)]
                spent, began = processor_seconds(gateway), time.monotonic()
                await until(lambda: time.monotonic() - began > 1.0, "a second is over")
                used = (processor_seconds(gateway) - spent) / (time.monotonic() - began)
                print(f"{used:.0%} of a processor while it has no descriptors")
                assert used < 0.5, "it spins"
            await is_as_before(gateway, before)
            async with Room(gateway) as room:
                ada = await room.join("Ada")
                ada.send(note("all is well"))
                await ada.got(b"all is well")
        assert gateway.terminate() == 0
    finally:
        if gateway.process.poll() is None:
            gateway.process.kill()
            gateway.wait()


def processor_seconds(gateway: Gateway) -> float:
    """Returns the gateway's user and system CPU time."""
    fields = Path(f"/proc/{gateway.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def test_endless_waiting_participants_cause_few_messages(gateway_with) -> None:
    """Clients that send `wait` and disconnect, repeatedly, count towards participantsPerSession only while connected."""
    gateway: Gateway = gateway_with(*ONE, participantsPerSession=50, graceSeconds=1)
    before = await Held.by(gateway)
    async with unharmed(gateway, growth=16 * MEBIBYTE) as beside:
        head = request_bytes(
            "GET", f"/api/sessions/{beside.session}/socket", gateway.host, upgrade_fields()
        ) + frame(TEXT, b'{"wait": {"name": "Waits"}}')
        with many() as held:

            def attack() -> None:
                held.extend(plain_socket(gateway, head) for _ in range(500))

            await asyncio.to_thread(attack)
    await is_as_before(gateway, before)


async def test_hundreds_of_bad_frames_are_closed(busy: Gateway) -> None:
    before = await Held.by(busy)
    async with unharmed(busy, growth=16 * MEBIBYTE) as beside:
        for _ in range(300):
            with contextlib.suppress(websockets.ConnectionClosed):
                peer = await joined(busy, beside.session)
                await peer.send(frame(3))
                assert (await peer.close_of())[0] == 1002
                peer.connection.abort()
    await is_as_before(busy, before)
