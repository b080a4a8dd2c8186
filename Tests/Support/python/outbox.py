"""The uncommitted entries of a client: their sequences, and which of them to send again."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice

from wire import Outgoing


@dataclass
class Kept:
    """An own entry that may not be committed."""

    entry: Outgoing
    client_sequence: int = 0
    """0 until it is first put on a socket."""
    sequence: int | None = None
    """The sequence of the entry in the session, or an upper bound, once it was returned or acknowledged; 0 if it
    was refused."""


class Outbox:
    """The reliable entries of one participant, from the oldest uncommitted one to the newest unsent one."""

    def __init__(self) -> None:
        self._kept: deque[Kept] = deque()
        self._unsent = 0
        self._next = 1
        self.committed = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def next(self) -> int:
        """The lowest kept client sequence, or else the next one to use: `next` of a resume."""
        held = next((kept.client_sequence for kept in self._kept if kept.client_sequence), 0)
        return held or self._next

    @property
    def has_unsent(self) -> bool:
        return self._unsent < len(self._kept)

    @property
    def has_unacknowledged(self) -> bool:
        """Returns true if an entry was sent on this socket and may not be in the session."""
        return any(kept.sequence is None for kept in islice(self._kept, self._unsent))

    @property
    def entries(self) -> list[Outgoing]:
        """Returns all kept entries, in order."""
        return [kept.entry for kept in self._kept]

    def append(self, entry: Outgoing) -> None:
        self._kept.append(Kept(entry))

    def take(self, room: int) -> bytes:
        """Returns the next message: entries not sent on this socket yet, about `room` bytes. Assigns their
        sequences."""
        message = bytearray()
        for kept in islice(self._kept, self._unsent, None):
            if message and len(message) + len(kept.entry.payload) > room:
                break
            if not kept.client_sequence:
                kept.client_sequence = self._next
                self._next += 1
            if kept.sequence is None:
                message += kept.entry.encoded(kept.client_sequence)
            self._unsent += 1
        return bytes(message)

    def came_back(self, client_sequence: int, sequence: int) -> None:
        """Records an own entry in the order. It acknowledges all entries before it."""
        for kept in self._kept:
            if not 0 < kept.client_sequence <= client_sequence:
                break
            if kept.sequence is None:
                kept.sequence = sequence
        self._trim()

    def refused(self, client_sequence: int) -> None:
        """Records a refusal that used up the client sequence."""
        for kept in self._kept:
            if kept.client_sequence == client_sequence:
                kept.sequence = 0
        self._trim()

    def send_again_from(self, client_sequence: int) -> None:
        """Sends all entries from that client sequence on again (rate-limited, sequence-gap)."""
        for index, kept in enumerate(self._kept):
            if kept.client_sequence >= client_sequence or not kept.client_sequence:
                self._unsent = min(self._unsent, index)
                break

    def commit(self, sequence: int) -> None:
        self.committed = max(self.committed, sequence)
        self._trim()

    def resumed(self, acknowledged: int, sequence: int, committed: int, is_same_epoch: bool) -> None:
        """Continues as the same participant on a new socket: unacknowledged entries are sent again with their
        sequences."""
        if not is_same_epoch:
            self.committed = 0
        self._unsent = len(self._kept)
        for index, kept in enumerate(self._kept):
            is_acknowledged = 0 < kept.client_sequence <= acknowledged
            if not is_same_epoch or not is_acknowledged:
                kept.sequence = sequence if is_acknowledged else None
            elif kept.sequence is None:
                kept.sequence = sequence
            if not is_acknowledged:
                self._unsent = min(self._unsent, index)
        self._next = max(self._next, acknowledged + 1)
        self.commit(committed)

    def begins_anew(self, keeps_acknowledged: bool) -> None:
        """Continues as a new participant: renumbers all kept entries from 1 (unknown token), or only the unsent
        ones (4009)."""
        self._kept = deque(
            Kept(kept.entry) for kept in self._kept if keeps_acknowledged or kept.sequence is None
        )
        self._unsent, self._next, self.committed = 0, 1, 0

    def _trim(self) -> None:
        while self._kept:
            sequence = self._kept[0].sequence
            if sequence is None or sequence > self.committed:
                return
            self._kept.popleft()
            self._unsent = max(self._unsent - 1, 0)
