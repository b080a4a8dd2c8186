"""A TCP proxy that cuts, refuses and holds: what a bad network does, to the real client over real sockets."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading


class Proxy:
    """Passes connections to `target` on, from a port of its own, until told otherwise."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.lock = threading.Lock()
        self.is_refusing = False
        self.is_holding = False
        self.is_over = False
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

    def _accept(self) -> None:
        while not self.is_over:
            try:
                near, _ = self.listener.accept()
                if self.is_refusing:
                    near.close()
                    continue
                far = socket.create_connection(self.target)
            except OSError:
                continue
            with self.lock:
                self.pairs.append((near, far))
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        chosen = selectors.DefaultSelector()
        chosen.register(near, selectors.EVENT_READ, far)
        chosen.register(far, selectors.EVENT_READ, near)
        with contextlib.suppress(OSError), near, far:
            while True:
                for key, _ in chosen.select():
                    data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    if not data:
                        return
                    # Held data is lost: a network that swallows, and does not say so.
                    if not self.is_holding:
                        key.data.sendall(data)
