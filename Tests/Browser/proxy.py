"""A TCP proxy that cuts, refuses, delays and slows down connections: a bad network for the real client over real
sockets."""

from __future__ import annotations

import contextlib
import socket
import threading
import time


class Proxy:
    """Forwards connections to `target` from its own port, until told otherwise. `sent` counts the bytes sent to the
    target, `refusals` the refused connections; `refused_at` is the time of the last refusal. `bytes_per_second` limits
    each connection to the target; None does not."""

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
        self.refused_at = 0.0
        self.bytes_per_second: float | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """Cuts all connections; returns their number."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        return len(pairs)

    def abandon(self) -> int:
        """Abandons all connections: sent bytes are lost, and neither end is informed."""
        with self.lock:
            pairs, self.pairs = self.pairs, []
            self.lost.update(end for pair in pairs for end in pair)
        return len(pairs)

    def refuse(self) -> None:
        """Cuts all connections and refuses new ones."""
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
                    self.refused_at = time.monotonic()
                    continue
            except OSError:
                continue
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _reach(self, near: socket.socket) -> socket.socket:
        """Connects to the target."""
        return socket.create_connection(self.target)

    def _connect(self, near: socket.socket) -> None:
        try:
            far = self._reach(near)
        except OSError:
            near.close()
            return
        # The directions are independent: a client that does not read may still send.
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
                # Held data is lost, as in a network that drops packets silently.
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
        """A slow proxy stops reading, so the sender has to wait."""
        with self.lock:
            self.sent += count
        begun = time.monotonic()
        while (rate := self.bytes_per_second) and time.monotonic() < begun + count / rate:
            time.sleep(0.002)
