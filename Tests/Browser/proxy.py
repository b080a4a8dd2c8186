"""A TCP proxy that cuts, refuses, holds and is slow: what a bad network does, to the real client over real sockets."""

from __future__ import annotations

import contextlib
import socket
import threading
import time


class Proxy:
    """Passes connections to `target` on, from a port of its own, until told otherwise.

    `sent` counts the bytes that went to the target, `refusals` the connections that were not taken; `bytes_per_second`
    is what one connection brings to the target, None: all.
    """

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.lost: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.is_refusing = False
        self.is_holding = False
        self.is_over = False
        self.sent = 0
        self.refusals = 0
        self.bytes_per_second: float | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """Breaks every connection there is; gives how many there were."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        return len(pairs)

    def abandon(self) -> int:
        """Forgets every connection there is: what is sent over it is lost, and neither end is told."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
            self.lost.update(end for pair in pairs for end in pair)
        return len(pairs)

    def refuse(self) -> None:
        """Breaks every connection and takes no new one."""
        self.is_refusing = True
        self.cut()

    def mend(self) -> None:
        self.is_refusing = False
        self.is_holding = False

    def close(self) -> None:
        self.is_over = True
        self.listener.close()
        self.cut()
        for end in self.lost:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self.is_over:
            try:
                near, _ = self.listener.accept()
                if self.is_refusing:
                    near.close()
                    self.refusals += 1
                    continue
            except OSError:
                continue
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _reach(self, near: socket.socket) -> socket.socket:
        """Where this connection goes on to."""
        return socket.create_connection(self.target)

    def _connect(self, near: socket.socket) -> None:
        try:
            far = self._reach(near)
        except OSError:
            near.close()
            return
        # Each way by itself: who does not read can still be answered.
        with near, far:
            with self.lock:
                if self.is_refusing or self.is_over:
                    return
                self.pairs.append((near, far))
            back = threading.Thread(target=self._carry, args=(far, near), daemon=True)
            back.start()
            self._carry(near, far, counts=True)
            back.join()

    def _carry(self, source: socket.socket, sink: socket.socket, counts: bool = False) -> None:
        try:
            while data := source.recv(65536):
                # Held data is lost: a network that swallows, and does not say so.
                if self.is_holding or source in self.lost:
                    continue
                sink.sendall(data)
                if counts:
                    self._sent(len(data))
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, sink):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def _sent(self, count: int) -> None:
        """Whoever is slow does not read on: the sender feels it."""
        with self.lock:
            self.sent += count
        begun = time.monotonic()
        while (rate := self.bytes_per_second) and time.monotonic() < begun + count / rate:
            time.sleep(0.002)
