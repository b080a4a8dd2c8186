"""The entries of a drawer, and the state that follows from any number of accepted ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, RETENTION, TARGETED, Outgoing

SOLO, OWN, SHARED = 1, 2, 3
"""The first byte of a key: used by one append only, by one drawer only, or by all drawers of the session."""
OWN_KEYS, SHARED_KEYS = 8, 6
NEVER_GIVEN_OUT = 4_000_000_000
WRONG = "Wrong"
"""The type of entries that must be refused and use up their client sequence."""

Payloads = dict[bytes, list[bytes]]


def key(kind: int, drawer: int, n: int) -> bytes:
    return bytes([kind, drawer]) + n.to_bytes(14, "big")


def is_of(key_: bytes, drawer: int) -> bool:
    """Returns true if only that drawer uses this key."""
    return key_[0] in (SOLO, OWN) and key_[1] == drawer


def apply(held: Payloads, entry: Outgoing) -> None:
    """Applies an accepted entry to the keys of one drawer (3.2)."""
    retention = entry.flags & RETENTION
    if not retention or entry.key is None or entry.type == WRONG or entry.key[0] == SHARED:
        return
    if entry.flags & EXISTING and entry.key not in held:
        return
    if retention == APPEND:
        held.setdefault(entry.key, []).append(entry.payload)
    elif retention == REPLACE:
        held[entry.key] = [entry.payload]
    else:
        held.pop(entry.key, None)


class Script:
    """The entries of one drawer, determined by the seed. Each payload is unique."""

    def __init__(self, drawer: int, seed: str) -> None:
        self.drawer, self._chance, self._n = drawer, random.Random(seed), 0

    def next(self, targets: list[int]) -> Outgoing:
        """Returns an entry of any kind; targeted ones go to some of these numbers."""
        kinds = (self._solo, self._kept, self._note, self._wrong)
        (kind,) = self._chance.choices(kinds, (4, 8, 2, 0.1))
        if self._chance.random() < 0.12:
            return self._aimed(targets)
        return kind()

    def burst(self, count: int, size: int) -> Iterator[Outgoing]:
        """Yields large replaces of few keys: they make a long log with little content."""
        for _ in range(count):
            n = self._chance.randrange(OWN_KEYS)
            payload = self._payload() + bytes(size)
            yield Outgoing("Ink", payload, RELIABLE | REPLACE, key(OWN, self.drawer, n))

    def _payload(self) -> bytes:
        self._n += 1
        return f"{self.drawer}/{self._n}/".encode()

    def _solo(self) -> Outgoing:
        payload = self._payload()
        return Outgoing("Solo", payload, RELIABLE | APPEND, key(SOLO, self.drawer, self._n))

    def _kept(self) -> Outgoing:
        (retention,) = self._chance.choices((APPEND, REPLACE, REMOVE), (5, 3, 1))
        is_shared = self._chance.random() < 0.4
        n = self._chance.randrange(SHARED_KEYS if is_shared else OWN_KEYS)
        key_ = key(SHARED, 0, n) if is_shared else key(OWN, self.drawer, n)
        if retention == REMOVE:
            return Outgoing("Ink", b"", RELIABLE | REMOVE, key_)
        flags = RELIABLE | retention | (EXISTING if self._chance.random() < 0.4 else 0)
        return Outgoing("Ink", self._payload() + bytes(self._chance.randrange(300)), flags, key_)

    def _note(self) -> Outgoing:
        return Outgoing("Note", self._payload(), RELIABLE)

    def _aimed(self, targets: list[int]) -> Outgoing:
        to = self._chance.sample(targets, self._chance.randint(0, min(3, len(targets))))
        payload = json.dumps({"to": to, "is": self._payload().decode()}).encode()
        return Outgoing("Aimed", payload, RELIABLE | TARGETED, targets=to)

    def _wrong(self) -> Outgoing:
        if self._chance.random() < 0.5:
            return Outgoing(WRONG, self._payload(), RELIABLE | REMOVE, key(OWN, self.drawer, 0))
        return Outgoing(WRONG, self._payload(), RELIABLE | TARGETED, targets=[NEVER_GIVEN_OUT])


@dataclass
class Life:
    """One participant and its sent entries: the n-th one has client sequence n."""

    drawer: int
    number: int
    id: str
    entries: list[Outgoing]
    begins_at: int | None = None
    """The sequence of its first catch-up, in the epoch in which it joined first."""
    is_committed: bool = False
    """True if the participant itself is certainly on disk."""
    committed: int = 0
    """The highest client sequence that any participant has seen as committed."""
    floor: int = 0
    """The highest client sequence in the session when the epoch began: entries up to it do not arrive live."""
    name_committed: int = 0
    """The index of its newest name that was seen as committed."""
    _held: Payloads = field(default_factory=dict)
    _through: int = 0

    @property
    def accepted_at_most(self) -> int:
        """The client sequence of the last entry that is not invalid."""
        numbered = enumerate(self.entries, start=1)
        return max((n for n, entry in numbered if entry.type != WRONG), default=0)

    def held_after(self, accepted: int) -> Payloads:
        """Returns the content of its own keys after that many used client sequences."""
        if accepted < self._through:
            self._held, self._through = {}, 0
        for entry in self.entries[self._through : accepted]:
            apply(self._held, entry)
        self._through = accepted
        return self._held
