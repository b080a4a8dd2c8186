"""A browser's HTTP proxy: real connections to any address, which can be cut like those of `Proxy`."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from proxy import Proxy


class Tunnel(Proxy):
    """For the option `proxy` of a browser's context: connects to the requested address, and does not parse the
    bytes."""

    def __init__(self) -> None:
        super().__init__(("", 0))

    @property
    def option(self) -> dict[str, str]:
        return {"server": f"http://127.0.0.1:{self.port}"}

    def _reach(self, near: socket.socket) -> socket.socket:
        head = b""
        while b"\r\n\r\n" not in head:
            data = near.recv(65536)
            if not data:
                raise ConnectionError("ended before it said where to")
            head += data
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
        if method == "CONNECT":
            host, _, port = target.rpartition(":")
            far = socket.create_connection((host.strip("[]"), int(port)))
            near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            # The request is forwarded unchanged: every server accepts the absolute address in it (RFC 9112 §3.2.2).
            address = urlsplit(target)
            far = socket.create_connection((address.hostname or "", address.port or 80))
            far.sendall(head)
        return far
