"""P6: connections that are reset in every state, hundreds of times, leave no resources behind."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from attachments import Journal, chunk, content
from gateway import Gateway, trusting
from hostile import IMPATIENT, MEBIBYTE, Held, is_as_before, plain_socket, private_bytes, reset, unharmed
from http1 import request_bytes
from rawsocket import BINARY, CLOSE, CONTINUATION, PING, TEXT, frame, upgrade_fields
from room import Room, append, note
from slow import most
from tus import PIECE, Upload

pytestmark = pytest.mark.alone

JOIN = frame(TEXT, b'{"join": {"name": "Breaks off"}}')
WAIT = frame(TEXT, b'{"wait": {"name": "Breaks off"}}')


@dataclass
class Scene:
    """The session and attachment of the interrupted requests."""

    gateway: Gateway
    session: str
    attachment: str
    upload: str
    context: ssl.SSLContext

    def ask(
        self, method: str, target: str, fields: dict[str, str] | None = None, body: bytes | None = None
    ) -> bytes:
        return request_bytes(method, target, self.gateway.host, fields, body)

    @property
    def upgrade(self) -> bytes:
        return self.ask("GET", f"/api/sessions/{self.session}/socket", upgrade_fields())

    @property
    def journal(self) -> str:
        return f"/api/sessions/{self.session}/attachments"


def takes(connected: socket.socket, until: bytes) -> None:
    """Reads up to these bytes."""
    connected.settimeout(10)
    came = b""
    while until not in came:
        piece = connected.recv(4_096)
        assert piece, came[-300:]
        came += piece


def begun(data: bytes, until: bytes = b"") -> Callable[[Scene], socket.socket]:
    """Returns a function that sends `data` and reads up to `until`."""
    return reached(lambda _: data, until)


def reached(
    data: Callable[[Scene], bytes], until: bytes = b"", then: bytes = b""
) -> Callable[[Scene], socket.socket]:
    def reach(scene: Scene) -> socket.socket:
        connected = plain_socket(scene.gateway, data(scene))
        if until:
            takes(connected, until)
        if then:
            connected.sendall(then)
        return connected

    return reach


def in_handshake(stage: int) -> Callable[[Scene], socket.socket]:
    """Returns a function that stops at a stage of a TLS handshake: hello sent, answer read, complete, or within a request."""

    def reach(scene: Scene) -> socket.socket:
        connected = plain_socket(scene.gateway, tls=True)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        secure = scene.context.wrap_bio(incoming, outgoing, server_hostname="localhost")
        for step in range(stage):
            try:
                secure.do_handshake()
            except ssl.SSLWantReadError:
                connected.sendall(outgoing.read())
                if step + 1 < stage:
                    incoming.write(connected.recv(65_536))
        if stage > 2:
            connected.sendall(outgoing.read())
            secure.write(b"GET /healthz HT")
            connected.sendall(outgoing.read()[:-3] if stage == 4 else outgoing.read())
        return connected

    return reach


LARGE = note(bytes(200_000)).encoded(1)
STATES: list[tuple[str, Callable[[Scene], socket.socket]]] = [
    ("nothing sent", begun(b"")),
    ("in the head", begun(b"GET / HTTP/1.1\r\nHost: a")),
    ("in a body", begun(b"POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")),
    ("in a chunk", begun(b"POST /api/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{")),
    ("with answers unread", reached(lambda s: s.ask("GET", "/api/limits") * 50)),
    ("in a large answer", reached(lambda s: s.ask("GET", "/"), b"HTTP/1.1 200")),
    ("in the head of an upgrade", reached(lambda s: s.upgrade[:-20])),
    ("right behind an upgrade", reached(lambda s: s.upgrade)),
    ("upgraded", reached(lambda s: s.upgrade, b"\r\n\r\n")),
    ("right behind a join", reached(lambda s: s.upgrade + JOIN)),
    ("right behind a wait", reached(lambda s: s.upgrade + WAIT, b"101")),
    ("waiting", reached(lambda s: s.upgrade + WAIT, b'"waiting"')),
    ("in catch-up", reached(lambda s: s.upgrade + JOIN, b'"catchUp"')),
    ("joined", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"')),
    ("with entries under way", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"', frame(BINARY, LARGE) + frame(PING, b"?") * 50)),
    ("in a frame", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"', frame(BINARY, LARGE)[:100_000])),
    ("between fragments", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"', frame(BINARY, LARGE[:9_000], fin=False) + frame(CONTINUATION, b"x", fin=False))),
    ("in a compressed message", reached(
        lambda s: s.ask("GET", f"/api/sessions/{s.session}/socket", upgrade_fields(Sec_WebSocket_Extensions="permessage-deflate"))
        + JOIN, b'"caughtUp"', frame(BINARY, bytes([0x00]) + struct.pack("<HH", 9, 0xFFF6) + b"x", fin=False, reserved=0x40))),
    ("in a close that it began", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"', frame(CLOSE, struct.pack(">H", 1000)))),
    ("in a close that the gateway began", reached(lambda s: s.upgrade + JOIN + frame(3), b"\x03\xea")),
    ("having left", reached(lambda s: s.upgrade + JOIN, b'"caughtUp"', frame(TEXT, b'{"leave": {}}'))),
    ("in an upload", reached(lambda s: s.ask("POST", s.journal, {"Content-Length": "90000"}) + bytes(40_000))),
    ("in an upload in chunks", reached(lambda s: s.ask("POST", s.journal, {"Transfer-Encoding": "chunked"}) + chunk(bytes(40_000)))),
    ("a byte before the end of an upload", reached(lambda s: s.ask("POST", s.journal, {"Content-Length": "40001"}) + bytes(40_000))),
    ("in a piece of an upload", reached(lambda s: s.ask("PATCH", s.upload, {
        "Tus-Resumable": "1.0.0", "Content-Type": PIECE, "Upload-Offset": "0", "Content-Length": "500"}))),
    ("in a download", reached(lambda s: s.ask("GET", s.attachment), b"HTTP/1.1 200")),
    ("right behind asking for a download", reached(lambda s: s.ask("GET", s.attachment) * 3)),
    ("in a handshake, hello sent", in_handshake(1)),
    ("in a handshake, answer read", in_handshake(2)),
    ("behind a handshake", in_handshake(3)),
    ("in a TLS record", in_handshake(4)),
]  # fmt: skip


def break_off(scene: Scene, rounds: int) -> None:
    """Resets connections in every state in each round; two of each state are open at a time."""
    for _ in range(rounds):
        for name, reach in STATES:
            try:
                both = [reach(scene), reach(scene)]
            except Exception as error:
                raise AssertionError(f"{name}: {error!r}") from error
            for connected in both:
                reset(connected)


@pytest.mark.seconds(600)
async def test_resets_in_every_state_leave_nothing(gateway_with, request: pytest.FixtureRequest) -> None:
    gateway: Gateway = gateway_with(**IMPATIENT, uploadKeepSeconds=600, participantsPerSession=100_000)
    rounds = 60 if request.config.getoption("--full") else 5
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.send_paced(*[append(n, "x" * 20_000) for n in range(20)])
        journal = Journal(gateway, room.id)
        large = await journal.add(content(4 * MEBIBYTE))
        upload = await Upload.create(journal, 1_000)
        scene = Scene(gateway, room.id, large["url"], upload.path, trusting())
        before = await Held.by(gateway)
        # Memory that grows in the first rounds stays with the allocator. Growth in later rounds would be a leak.
        await asyncio.to_thread(break_off, scene, 3)
        await is_as_before(gateway, before)
        dirty = private_bytes(gateway)
        async with unharmed(gateway, growth=24 * MEBIBYTE):
            await asyncio.to_thread(break_off, scene, rounds)
        await is_as_before(gateway, before)
        grown = private_bytes(gateway) - dirty
        count = rounds * len(STATES) * 2
        print(f"{count} resets left {grown:,} bytes")
        assert grown < most(4 * MEBIBYTE + count * 1_000), f"{grown} bytes after {count} resets"
        listed = {attachment["id"] for attachment in await journal.list()}
        assert listed == {large["id"], upload.id}, "what was cut short is gone, what can be resumed is there"
        ada.send(note("all is well"))
        await ada.got(b"all is well")
