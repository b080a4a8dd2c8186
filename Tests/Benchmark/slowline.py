"""A slow line to a gateway: a proxy whose connections share one rate in each direction, with a delay each way."""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from queue import SimpleQueue

from machine import REPOSITORY

sys.path.append(str(REPOSITORY / "Tests" / "Browser"))

from proxy import Proxy  # noqa: E402

# The payload of a packet: connections take turns after each.
PACKET = 1_460
# A thread that wakes this much late, in seconds, makes a busy line no slower.
LATE = 0.01


class Direction:
    """One direction of a line. `carried` counts its bytes."""

    def __init__(self, bytes_per_second: float, delay: float) -> None:
        self.bytes_per_second = bytes_per_second
        self.delay = delay
        self.lock = threading.Lock()
        self.free_at = 0.0
        self.carried = 0

    def carry(self, count: int) -> float:
        """Waits until the line has sent these bytes, after those of other connections. Returns the time of their arrival."""
        with self.lock:
            now = time.monotonic()
            begins_at = self.free_at if self.free_at > now - LATE else now
            sent_at = self.free_at = begins_at + count / self.bytes_per_second
            self.carried += count
        wait_until(sent_at)
        return sent_at + self.delay


class SlowLine(Proxy):
    """`round_trip` is in seconds; a new connection costs one more, as its handshake does. The rate is that of the payload: there
    is no loss, no overhead of packets, and no slow start."""

    def __init__(self, target: tuple[str, int], megabits_per_second: float, round_trip: float) -> None:
        rate = megabits_per_second * 1_000_000 / 8
        self.round_trip = round_trip
        self.up, self.down = Direction(rate, round_trip / 2), Direction(rate, round_trip / 2)
        super().__init__(target)

    def _reach(self, near: socket.socket) -> socket.socket:
        far = super()._reach(near)
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return far

    def _carry(self, source: socket.socket, sink: socket.socket, counts: bool = False) -> None:
        direction = self.up if counts else self.down
        if counts:
            # This proxy has accepted the connection at once.
            time.sleep(self.round_trip)
        arriving: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
        delivering = threading.Thread(target=self._deliver, args=(arriving, source, sink), daemon=True)
        delivering.start()
        with contextlib.suppress(OSError):
            while data := source.recv(PACKET):
                arriving.put((direction.carry(len(data)), data))
        arriving.put((time.monotonic() + direction.delay, b""))
        delivering.join()

    @staticmethod
    def _deliver(arriving: SimpleQueue[tuple[float, bytes]], source: socket.socket, sink: socket.socket) -> None:
        try:
            while True:
                arrives_at, data = arriving.get()
                wait_until(arrives_at)
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)
        except OSError:
            for end in (source, sink):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def wait_until(at: float) -> None:
    time.sleep(max(0.0, at - time.monotonic()))
