"""Tools for hostile clients, and checks that they cause no crash, no growing memory and no delays for others."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway import Gateway, brief_seconds, has_sanitizer
from http1 import HTTPConnection
from neighbours import Delays, Neighbours
from polling import until
from slow import SANITIZER_TIMES, most, resident_bytes

MEBIBYTE = 1 << 20
MOST_GROWTH = 32 * MEBIBYTE
MEDIAN_MS, P99_MS = 100.0, 250.0
LIMIT = brief_seconds()
IMPATIENT = {
    "headSeconds": LIMIT, "idleSeconds": 2 * LIMIT, "bodyStallSeconds": LIMIT, "joinSeconds": LIMIT,
    "messageSeconds": LIMIT, "graceSeconds": LIMIT,
}  # fmt: skip
"""Limits that end every kind of waiting soon. The attackers must take each of their own steps within the same time."""
SLACK = 9.0 if has_sanitizer() else 3.0
"""The seconds by which a busy machine may exceed a limit."""


def share() -> float:
    """Returns the factor by which everything may take longer under load or with a sanitizer; 1 without either."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1) / 2)
    return busy * SANITIZER_TIMES if has_sanitizer() else busy


def stolen_milliseconds() -> float:
    """Returns the time since the start of the machine in which its host let the CPUs wait."""
    ticks = int(Path("/proc/stat").read_text().split()[8])
    return 1_000 * ticks / os.sysconf("SC_CLK_TCK")


def cpu_times(gateway: Gateway) -> tuple[int, int]:
    """Returns the nanoseconds for which the gateway's threads ran, and those for which they waited for a CPU."""
    ran = waited = 0
    for task in Path(f"/proc/{gateway.process.pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the thread has ended
            times = (task / "schedstat").read_text().split()
            ran, waited = ran + int(times[0]), waited + int(times[1])
    return ran, waited


def private_bytes(gateway: Gateway) -> int:
    """Returns the gateway's private, written memory."""
    rollup = Path(f"/proc/{gateway.process.pid}/smaps_rollup").read_text()
    return int(rollup.split("Private_Dirty:")[1].split()[0]) << 10


class Watch(threading.Thread):
    """Samples the resident memory on a thread of its own, so that a busy test does not miss the peak."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(daemon=True)
        self._gateway = gateway
        self.before = resident_bytes(gateway)
        self.most = self.before
        self._is_over = threading.Event()
        self.start()

    @property
    def growth(self) -> int:
        return self.most - self.before

    def run(self) -> None:
        with contextlib.suppress(OSError, IndexError):
            while not self._is_over.wait(0.009):
                self.most = max(self.most, resident_bytes(self._gateway))

    def end(self) -> None:
        self._is_over.set()
        self.join()


@dataclass
class Beside:
    """The measurements beside an attack."""

    session: str
    """The session in which two participants draw during the attack."""
    watch: Watch
    delays: Delays | None = None


@contextlib.asynccontextmanager
async def unharmed(
    gateway: Gateway, *, growth: int = MOST_GROWTH, tls: bool = False
) -> AsyncIterator[Beside]:
    """Lets two participants draw: their points arrive in time, and the gateway's memory grows by no more than the
    limit."""
    session = await gateway.create_session()
    people = await asyncio.to_thread(Neighbours, gateway, session, tls)
    beside = Beside(session, Watch(gateway))
    dirty, stolen, (ran, waited) = private_bytes(gateway), stolen_milliseconds(), cpu_times(gateway)
    try:
        yield beside
        beside.delays = await asyncio.to_thread(people.delays)
        stolen = stolen_milliseconds() - stolen
        ran, waited = (after - before for after, before in zip(cpu_times(gateway), (ran, waited), strict=True))
        grown = private_bytes(gateway) - dirty
    finally:
        beside.watch.end()
        people.leave()
    print(f"grew by {beside.watch.growth / MEBIBYTE:.1f} MiB at most, {grown / MEBIBYTE:.1f} in the end")
    print(f"{beside.delays}; stolen: {stolen:.0f} ms; waited for a CPU: {waited / 1e6:.0f} ms, ran {ran / 1e6:.0f} ms")
    assert gateway.process.poll() is None, gateway.log[-2_000:]
    assert max(beside.watch.growth, grown) <= most(growth), f"{beside.watch.growth} and {grown} bytes more"
    # The load average of the machine follows its current load only slowly, so the time that threads waited counts, too.
    times = max(share(), (ran + waited) / max(ran, 1))
    assert beside.delays.median <= MEDIAN_MS * times, (beside.delays, times)
    assert beside.delays.p99 <= P99_MS * times, (beside.delays, times, stolen)


def socket_descriptors(gateway: Gateway) -> int:
    """Returns the number of the gateway's socket descriptors."""
    count = 0
    for descriptor in Path(f"/proc/{gateway.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            count += str(descriptor.readlink()).startswith("socket:")
    return count


ESTABLISHED = ("01", "08")
"""The states in /proc/net/tcp: established, and closed by the peer only."""


def peers_of(gateway: Gateway) -> set[int]:
    """Returns the peer ports of the connections that the gateway has not closed."""
    ports = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_ = line.split()
        is_ours = int(local.split(":")[1], 16) in (gateway.http[1], gateway.https[1])
        if is_ours and state in ESTABLISHED:
            ports.add(int(remote.split(":")[1], 16))
    return ports


@dataclass(frozen=True)
class Held:
    """The resources that a gateway holds for its peers."""

    sockets: float
    participants: float
    uploads: float
    incomplete: float
    descriptors: int
    """The socket descriptors only: a new session keeps its log open for a while."""

    @classmethod
    async def by(cls, gateway: Gateway) -> Held:
        metrics = await gateway.metrics()
        sockets = sum(value for name, value in metrics.items() if name.startswith("drawtogether_sockets{"))
        return cls(
            sockets,
            metrics["drawtogether_participants"],
            metrics["drawtogether_uploads"],
            metrics["drawtogether_incomplete_bytes"],
            socket_descriptors(gateway),
        )


async def is_as_before(gateway: Gateway, before: Held, timeout: float = 20 + 2 * LIMIT) -> None:
    """Waits until the gateway holds no more resources than before."""
    now = before

    async def same() -> bool:
        nonlocal now
        try:
            now = await Held.by(gateway)
        except (OSError, EOFError):
            # A gateway that has just run out of descriptors or slots may still refuse new connections.
            return False
        return all(getattr(now, name) <= getattr(before, name) for name in Held.__dataclass_fields__)

    try:
        await until(same, "all is given back", timeout, every=0.05)
    except AssertionError as error:
        raise AssertionError(f"{error}: {before} before, {now} now") from None


async def all_that_comes(connection: HTTPConnection, timeout: float = 20) -> bytes:
    """Reads until the gateway closes or resets the connection."""
    came = b""
    async with asyncio.timeout(timeout):
        with contextlib.suppress(ConnectionError):
            while piece := await connection.reader.read(65_536):
                came += piece
    return came


async def closes_within(connection: HTTPConnection, seconds: float) -> bytes:
    """Reads until the gateway closes, which must happen within the time."""
    try:
        return await all_that_comes(connection, seconds)
    except TimeoutError:
        raise AssertionError(f"still open after {seconds} s") from None


def plain_socket(gateway: Gateway, data: bytes = b"", tls: bool = False) -> socket.socket:
    """Returns a blocking socket that has sent these bytes. Cheaper than a stream, for many connections."""
    connected = socket.create_connection(gateway.https if tls else gateway.http)
    if data:
        connected.sendall(data)
    return connected


def reset(connected: socket.socket) -> None:
    """Closes with a TCP reset."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connected.close()


@contextlib.contextmanager
def many() -> Iterator[list[socket.socket]]:
    """A list of sockets, all reset at the end."""
    held: list[socket.socket] = []
    try:
        yield held
    finally:
        for connected in held:
            reset(connected)
