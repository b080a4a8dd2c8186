"""A session and its participants, for the duration of a test."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from client import Client
from gateway import Gateway
from wire import APPEND, RELIABLE, REMOVE, REPLACE, Outgoing


class Room:
    """Creates a session and connects participants; breaks their sockets at the end."""

    def __init__(self, gateway: Gateway, activity: dict[str, Any] | None = None, tls: bool = False) -> None:
        self.gateway, self._activity, self._tls = gateway, activity, tls
        self._stack = AsyncExitStack()
        self.id = ""

    async def __aenter__(self) -> Room:
        self.id = await self.gateway.create_session(self._activity)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    @property
    def path(self) -> str:
        return f"/api/sessions/{self.id}"

    def client(self, **options: Any) -> Client:
        """Returns a client that is not connected."""
        tls = self.gateway.tls if self._tls else None
        client = Client(self.gateway.socket_url(self.id, self._tls), tls=tls, **options)
        self._stack.push_async_exit(client.__aexit__)
        return client

    async def connect(self, **options: Any) -> Client:
        """Returns a client that is connected and has sent nothing."""
        return await self.client(**options).connect()

    async def join(self, name: str | None = None, **options: Any) -> Client:
        """Returns a participant that is caught up."""
        return await self.client(**options).join(**({} if name is None else {"name": name}))


def key(n: int) -> bytes:
    """Returns the n-th key of the tests."""
    return n.to_bytes(16, "big")


def note(text: str | bytes, flags: int = 0) -> Outgoing:
    """Returns a reliable entry that is not retained."""
    payload = text.encode() if isinstance(text, str) else text
    return Outgoing("Note", payload, RELIABLE | flags)


def append(n: int, text: str, flags: int = 0) -> Outgoing:
    return Outgoing("Mark", text.encode(), RELIABLE | APPEND | flags, key(n))


def replace(n: int, text: str, flags: int = 0) -> Outgoing:
    return Outgoing("Mark", text.encode(), RELIABLE | REPLACE | flags, key(n))


def remove(n: int) -> Outgoing:
    return Outgoing("Mark", b"", RELIABLE | REMOVE, key(n))


def targeted(text: str, *numbers: int) -> Outgoing:
    return Outgoing("Note", text.encode(), RELIABLE | 0x08, targets=numbers)


def unreliable(text: str, type_: str = "Cursor", numbers: tuple[int, ...] | None = None) -> Outgoing:
    if numbers is None:
        return Outgoing(type_, text.encode(), 0)
    return Outgoing(type_, text.encode(), 0x08, targets=numbers)


def numbered(*outgoing: Outgoing, first: int = 1) -> bytes:
    """Returns one message with these entries and consecutive client sequences."""
    return b"".join(entry.encoded(first + index) for index, entry in enumerate(outgoing))
