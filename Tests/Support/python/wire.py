"""The encoding of entries from clients and the decoding of entries from the gateway."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

RELIABLE = 0x01
APPEND = 0x02
REPLACE = 0x04
REMOVE = 0x06
RETENTION = 0x06
TARGETED = 0x08
SEALED = 0x10
EXISTING = 0x20
RESERVED = 0x40
SYSTEM = 0x80


class WireError(Exception):
    """The gateway sent bytes that are not entries."""


@dataclass(frozen=True)
class Outgoing:
    """An entry to send. It gets its client sequence when it is first sent."""

    type: str | bytes = "Note"
    payload: bytes = b""
    flags: int = RELIABLE
    key: bytes | None = None
    targets: Sequence[int] = ()

    def encoded(self, client_sequence: int) -> bytes:
        """Returns the bytes from client to gateway, length prefix included."""
        name = self.type.encode() if isinstance(self.type, str) else self.type
        parts = [struct.pack(">BBI", self.flags, len(name), client_sequence)]
        if self.flags & RETENTION:
            parts.append(self.key if self.key is not None else bytes(16))
        if self.flags & TARGETED:
            parts.append(struct.pack(f">H{len(self.targets)}I", len(self.targets), *self.targets))
        parts += [name, self.payload]
        body = b"".join(parts)
        return struct.pack(">I", len(body)) + body


@dataclass(frozen=True)
class Entry:
    """An entry from the gateway."""

    flags: int
    sequence: int
    sender: int
    client_sequence: int
    key: bytes | None
    type: str
    payload: bytes

    @property
    def is_reliable(self) -> bool:
        return bool(self.flags & RELIABLE)

    @property
    def is_system(self) -> bool:
        return bool(self.flags & SYSTEM)

    @property
    def retention(self) -> int:
        return self.flags & RETENTION


def entries(message: bytes) -> Iterator[Entry]:
    """Parses a binary message from the gateway into its entries; checks every rule of the format. A message without entries is a
    heartbeat."""
    offset = 0
    while offset < len(message):
        if len(message) - offset < 4:
            raise WireError(f"{len(message) - offset} bytes left over at {offset}")
        (length,) = struct.unpack_from(">I", message, offset)
        offset += 4
        if length > len(message) - offset:
            raise WireError(f"an entry of {length} bytes where {len(message) - offset} are left")
        yield _entry(message[offset : offset + length])
        offset += length


def _entry(body: bytes) -> Entry:
    if len(body) < 18:
        raise WireError(f"an entry of only {len(body)} bytes")
    flags, type_length, sequence, sender, client_sequence = struct.unpack_from(">BBQII", body)
    offset = 18
    key = None
    if flags & RETENTION:
        key = body[offset : offset + 16]
        offset += 16
    name = body[offset : offset + type_length]
    payload = body[offset + type_length :]
    if flags & RESERVED:
        raise WireError("bit 6 is set")
    if type_length == 0 or len(name) != type_length:
        raise WireError("the type is empty or cut short")
    if sequence >= 1 << 53:
        raise WireError(f"sequence {sequence} is not below 2^53")
    # Section 3.3: with an attachment the gateway also removes the client entries under its id.
    is_forgetting = sender == 0 and flags & RETENTION == REMOVE and name == b"attachment"
    if bool(flags & SYSTEM) != (sender == 0) and not is_forgetting:
        raise WireError(f"flags {flags:#x} with sender {sender}")
    if not flags & RELIABLE and (sequence or client_sequence or flags & RETENTION):
        raise WireError("an unreliable entry with sequence, client sequence or retention")
    try:
        return Entry(flags, sequence, sender, client_sequence, key, name.decode(), payload)
    except UnicodeDecodeError:
        raise WireError("a type that is not UTF-8") from None
