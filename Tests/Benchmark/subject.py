"""The measured gateway, and cheap sockets for the scripts beside this file."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RELIABLE_APPEND = 0x03
RELIABLE_REPLACE = 0x05
IN_A_MESSAGE = 1_000


class Subject:
    """A gateway on a free loopback port, with a data folder that may have sessions."""

    def __init__(self, binary: Path, folder: Path, *arguments: str):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
        folder.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            [binary, "--http", "127.0.0.1:0", "--https", "off", "--data", folder / "data", "--public", REPOSITORY / "Public",
             "--log-format", "json", "--log-level", "warning", "--max-sessions-per-address-per-minute", "1000000", *arguments],
            stdout=subprocess.PIPE, env=environment, text=True)  # fmt: skip
        ready = self.process.stdout.readline()
        if not ready:
            raise SystemExit(f"{binary} did not start")
        self.port = int(json.loads(ready)["http"].rsplit(":", 1)[1])

    def create_session(self) -> str:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/sessions", method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["id"]

    def metric(self, name: str) -> float:
        """Returns the sum of a metric's samples."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.split("{")[0].split(" ")[0] == name)

    def cpu_seconds(self) -> float:
        """Returns user and system time of the whole process, ended threads included, from the kernel's clock of the process in
        nanoseconds. /proc counts hundredths of a second."""
        return time.clock_gettime_ns(~self.process.pid << 3 | 2) / 1e9

    def status(self, field: str) -> int:
        """Returns a line of /proc/PID/status, such as VmRSS, in KiB."""
        return self._proc("status", field)

    def io(self, field: str) -> int:
        """Returns a line of /proc/PID/io, such as rchar: the bytes returned by read calls, from the disk or the page cache."""
        return self._proc("io", field)

    def _proc(self, file: str, field: str) -> int:
        for line in Path(f"/proc/{self.process.pid}/{file}").read_text().splitlines():
            name, value = line.split(":")
            if name == field:
                return int(value.split()[0])
        raise KeyError(field)

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(60)
        self.process.stdout.close()
        if code != (-number if number == signal.SIGKILL else 0):
            raise SystemExit(f"the gateway ended with {code}")


def entry(flags: int, client_sequence: int, key: bytes, kind: bytes, payload: bytes) -> bytes:
    """Returns a retained entry of a client, with its length prefix."""
    return struct.pack(">IBBI", 6 + 16 + len(kind) + len(payload), flags, len(kind), client_sequence) + key + kind + payload


def binary_header(count: int) -> bytes:
    """Returns the header of a client's binary frame. Its masking key is 0, so the payload is unchanged."""
    if count < 126:
        return struct.pack(">BBI", 0x82, 0x80 | count, 0)
    if count < 65_536:
        return struct.pack(">BBHI", 0x82, 0x80 | 126, count, 0)
    return struct.pack(">BBQI", 0x82, 0x80 | 127, count, 0)


def join(port: int, session: str, name: str, fields: str = "") -> tuple[socket.socket, bytes]:
    """Joins as a new participant. Returns the blocking socket after the catch-up, and the bytes received behind it."""
    opened, received = connect(port, session, name, fields)
    while b'{"caughtUp"' not in received:
        piece = opened.recv(1 << 20)
        if not piece:
            raise SystemExit(f"the gateway closed a joining socket: {received[-300:]!r}")
        received += piece
    return opened, received.split(b'{"caughtUp"', 1)[1]


def connect(port: int, session: str, name: str, fields: str = "") -> tuple[socket.socket, bytes]:
    """Opens a socket, with additional header lines, and sends `join`. Returns the socket, and the bytes received behind the
    upgrade's response."""
    opened = socket.create_connection(("127.0.0.1", port))
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    hello = json.dumps({"join": {"name": name}}).encode()
    opened.sendall(
        f"GET /api/sessions/{session}/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Protocol: drawtogether.v1\r\n{fields}\r\n".encode()
        + struct.pack(">BBI", 0x81, 0x80 | len(hello), 0)
        + hello
    )
    received = b""
    while b"\r\n\r\n" not in received:
        piece = opened.recv(65_536)
        if not piece:
            raise SystemExit(f"no upgrade: {received!r}")
        received += piece
    head, _, rest = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101 "):
        raise SystemExit(f"no upgrade: {head!r}")
    return opened, rest


def fill(port: int, session: str, count: int, make: Callable[[int], tuple[bytes, bytes, bytes]],
         flags: int = RELIABLE_APPEND, ahead: int = 40_000) -> None:  # fmt: skip
    """Sends retained entries and waits until all are committed. `make` returns the key, type and payload of a number from 1. At
    most `ahead` entries are uncommitted; that must be well below the limit on a session's unsaved bytes."""
    opened, received = join(port, session, "Writer")
    while not (caught_up := re.search(rb'"sequence":(\d+)', received)):
        received += opened.recv(1 << 20)
    before = committed = int(caught_up[1])
    sent = 0
    while committed < before + count:
        while sent < count and before + sent - committed < ahead:
            numbers = range(sent + 1, min(sent + IN_A_MESSAGE, count) + 1)
            body = b"".join(entry(flags, number, *make(number)) for number in numbers)
            opened.sendall(binary_header(len(body)) + body)
            sent += len(numbers)
        piece = opened.recv(1 << 20)
        if not piece or b'{"error"' in piece:
            raise SystemExit(f"the gateway refuses the writer: {(received + piece)[-300:]!r}")
        committed = max(committed, newest_commit(received[-64:] + piece))
        received = piece
    opened.close()


def newest_commit(received: bytes) -> int:
    found = re.findall(rb'\{"committed":\{"sequence":(\d+)\}', received)
    return int(found[-1]) if found else 0
