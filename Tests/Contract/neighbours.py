"""Two honest participants that draw in a process of their own, so that the work of a test does not count as a
delay."""

from __future__ import annotations

import contextlib
import json
import re
import selectors
import socket
import ssl
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from gateway import Gateway, trusting
from http1 import request_bytes
from rawsocket import BINARY, TEXT, frame, upgrade_fields
from room import note

EVERY = 0.01
"""The seconds between two points of either participant."""
LATEST = 10.0
"""The seconds after which a point counts as lost."""
READS = 32
"""The maximum number of consecutive reads from one socket, so that a flood on it does not delay the other one."""
POINT = re.compile(rb"<point ([0-9a-f]{8})>")


@dataclass(frozen=True)
class Delays:
    """The milliseconds from the time at which a point was due until the other participant received it."""

    count: int
    median: float
    p99: float
    most: float


class Neighbours:
    """Draws while the context is open."""

    def __init__(self, gateway: Gateway, session: str, tls: bool = False) -> None:
        address = gateway.https if tls else gateway.http
        command = [sys.executable, __file__, *map(str, address), session, "tls" if tls else "plain"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parent
        )
        assert self._line() == {"ready": True}

    def delays(self) -> Delays:
        """Waits for all points so far, and returns their delays since the last call."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"tell\n")
        self._process.stdin.flush()
        told = self._line()
        assert "lost" not in told, told
        return Delays(**told)

    def leave(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _line(self) -> dict:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the neighbours are gone"
        return json.loads(line)


class Person:
    """One of the two participants."""

    def __init__(self, address: tuple[str, int], session: str, tls: ssl.SSLContext | None) -> None:
        self.socket: socket.socket = socket.create_connection(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        host = f"{address[0]}:{address[1]}"
        head = request_bytes("GET", f"/api/sessions/{session}/socket", host, upgrade_fields())
        self.socket.sendall(head + frame(TEXT, b'{"join": {}}'))
        came = b""
        while b'"caughtUp"' not in came:
            came += self._some()
        self.socket.setblocking(False)
        self._rest = b""
        self._drawn = 0

    def draw(self, number: int) -> None:
        """Sends a point. Blocks while the socket accepts no bytes: that counts as a delay."""
        self._drawn += 1
        data = frame(BINARY, note(b"<point %08x>" % number).encoded(self._drawn))
        self.socket.setblocking(True)
        self.socket.sendall(data)
        self.socket.setblocking(False)

    def came(self) -> list[int]:
        """Returns points that arrived since the last call, not necessarily all."""
        numbers: list[int] = []
        with contextlib.suppress(BlockingIOError, ssl.SSLWantReadError):
            for _ in range(READS):
                data = self._rest + self._some()
                points = list(POINT.finditer(data))
                numbers += [int(point[1], 16) for point in points]
                self._rest = data[points[-1].end() :][-15:] if points else data[-15:]
        return numbers

    def _some(self) -> bytes:
        if data := self.socket.recv(65_536):
            return data
        raise ConnectionError("the gateway closed")


def draw(people: list[Person]) -> None:
    """Draws at fixed times, also when the gateway is late, and reports on request; until standard input ends."""
    with selectors.DefaultSelector() as selector:
        for person in people:
            selector.register(person.socket, selectors.EVENT_READ, person)
        selector.register(sys.stdin.buffer, selectors.EVENT_READ, None)
        due: dict[int, float] = {}
        delays: list[float] = []
        number, next_ = 0, perf_counter()
        is_asked = False
        while True:
            now = perf_counter()
            if now >= next_ and not is_asked:
                due[number] = next_
                people[number % 2].draw(number)
                number, next_ = number + 1, next_ + EVERY
            for key, _ in selector.select(max(0.0, next_ - perf_counter()) if not is_asked else 0.1):
                if key.data is None:
                    if not sys.stdin.buffer.readline():
                        return
                    is_asked = True
                    continue
                for came in key.data.came():
                    if people[came % 2] is not key.data:
                        delays.append(1_000 * (perf_counter() - due.pop(came)))
            if due and perf_counter() - min(due.values()) > LATEST:
                return tell(lost=f"{len(due)} points of {number} were not there after {LATEST} s")
            if is_asked and not due and delays:
                delays.sort()
                tell(count=len(delays), median=delays[len(delays) // 2],
                     p99=delays[len(delays) * 99 // 100], most=delays[-1])  # fmt: skip
                is_asked, delays, next_ = False, [], perf_counter()


def tell(**said: object) -> None:
    print(json.dumps(said), flush=True)


def main() -> None:
    host, port, session, way = sys.argv[1:]
    tls = trusting() if way == "tls" else None
    people = [Person((host, int(port)), session, tls) for _ in range(2)]
    tell(ready=True)
    try:
        draw(people)
    except OSError as error:
        tell(lost=str(error))


if __name__ == "__main__":
    main()
