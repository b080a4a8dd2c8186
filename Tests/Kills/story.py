"""A session as its participants saw it: one order per epoch, and the committed part of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retained import Held, Retained
from sent import Life
from wire import EXISTING, TARGETED, Entry

if TYPE_CHECKING:
    from people import Person

UPLOADING, READY, REMOVED = 1, 2, 3
"""The state of an attachment, which never goes back."""


@dataclass
class Span:
    """A part of the order that one participant received without gaps, except for entries to others."""

    after: int
    person: Person
    through: int | None = None
    """The last sequence; None while the span continues."""

    @property
    def end(self) -> int:
        return self.person.last if self.through is None else self.through


@dataclass
class Snapshot:
    """A participant's retained entries at `caughtUp` of a snapshot."""

    whose: str
    sequence: int
    held: Held


@dataclass
class Committed:
    """The entries that were certainly on disk, over all epochs."""

    attachments: dict[str, int] = field(default_factory=dict)
    activity: int = 0


@dataclass
class Past:
    """A finished epoch whose whole order is known up to `end`."""

    base: Held
    order: list[Entry]
    end: int
    floors: dict[int, int]
    """For each number: the client sequences accepted before that order began."""
    places: set[tuple[int, int]]
    """Sender and client sequence of every received entry."""


class Story:
    """The messages that all participants of one session received. Fails as soon as two of them disagree."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.people: dict[int, str] = {}
        """The participants by their numbers, which are never reused."""
        self.lives: dict[int, Life] = {}
        self.committed = Committed()
        self.past: Past | None = None
        self.was_told_in_this_round = False
        """True if a participant was admitted since the start of the gateway."""
        self._begin("", 0)

    def _begin(self, epoch: str, sequence: int) -> None:
        self.epoch = epoch
        self.begins_after = sequence
        """A tail from an earlier epoch may contain entries up to this sequence that no participant received
        before."""
        self.order: dict[int, Entry] = {}
        self.told_committed = 0
        self.spans: list[Span] = []
        self.snapshots: list[Snapshot] = []
        self._places: dict[tuple[int, int], int] = {}
        self._newest: dict[int, int] = {}
        self.base: Snapshot | None = None
        """The sequence from which the order is complete."""
        self.is_exact = False
        """True if the floors of this epoch are exactly the state on disk when it began."""

    # Received messages.

    def joined(self, person: Person, joined: dict[str, Any]) -> None:
        if joined["epoch"] != self.epoch:
            self.past = self._so_far()
            for life in self.lives.values():
                life.floor = life.committed
                # Sequences of different epochs cannot be compared: it has to be seen in this epoch again.
                life.begins_at = None
            self._begin(joined["epoch"], joined["sequence"])
        self.was_told_in_this_round = True
        self._has_number(joined["participant"])
        self.told(joined["committed"])

    def told(self, committed: int) -> None:
        """Records that all entries up to a sequence are on disk."""
        self.told_committed = max(self.told_committed, committed)

    def caught_up(self, person: Person, sequence: int, after: int | None) -> None:
        """Records that a participant has the state at `sequence`, by a tail if `after` is given."""
        if after is None:
            self.snapshots.append(Snapshot(person.name, sequence, person.retained.held()))
        self.spans.append(Span(sequence if after is None else after, person))
        life = self.lives.get(person.number)
        if life is not None and life.begins_at is None:
            life.begins_at = sequence

    def broke_off(self, person: Person) -> None:
        """Ends that participant's span. The next one begins with a catch-up."""
        for span in self.spans:
            if span.person is person and span.through is None:
                span.through = person.last

    def saw(self, person: Person, entry: Entry, in_snapshot: bool) -> None:
        """Records that a participant received an entry."""
        if entry.is_system and entry.type == "participants":
            change = json.loads(entry.payload)
            for told in ("joined", "changed", "past"):
                for participant in change.get(told, []):
                    self._has_number(participant)
        if entry.flags & TARGETED:
            to = json.loads(entry.payload)["to"]
            # Also in the snapshot of a client that saw more than the log of a killed gateway contained (S75).
            assert person.number == entry.sender or person.number in to, f"{person.name} got {entry}"
        if in_snapshot or not entry.is_reliable:
            return
        known = self.order.setdefault(entry.sequence, entry)
        assert known == entry, f"{entry.sequence} is {known} and {entry}"
        if known is entry and not entry.is_system and entry.sender:
            self._check_sent(entry)

    def _check_sent(self, entry: Entry) -> None:
        """Checks that the entry equals the sent one of that client sequence, and is received for the first time."""
        life = self.lives.get(entry.sender)
        assert life is not None, f"from somebody nobody is: {entry}"
        if entry.sequence > self.begins_after:
            assert entry.client_sequence > life.floor, f"accepted again after {life.floor}: {entry}"
        place = self._places.setdefault((entry.sender, entry.client_sequence), entry.sequence)
        assert place == entry.sequence, f"accepted twice, at {place} and {entry.sequence}: {entry}"
        sent = life.entries[entry.client_sequence - 1]
        came = entry.type, entry.payload, entry.flags | EXISTING
        assert came == (sent.type, sent.payload, sent.flags | EXISTING), f"sent as {sent}: {entry}"
        assert entry.key is None or entry.key == sent.key, f"sent as {sent}: {entry}"
        self._newest[entry.sender] = max(self.seen_of(entry.sender), entry.client_sequence)

    def seen_of(self, number: int) -> int:
        """Returns the newest client sequence of a participant that any participant received in this epoch."""
        return self._newest.get(number, 0)

    def _has_number(self, participant: dict[str, Any]) -> None:
        id_ = self.people.setdefault(participant["number"], participant["id"])
        assert id_ == participant["id"], f"{participant} has a number that {id_} has"

    def _so_far(self) -> Past | None:
        if self.base is None or not self.is_exact:
            return None
        end = self.covered()
        order = [self.order[s] for s in sorted(self.order) if s > self.base.sequence]
        floors = {life.number: life.floor for life in self.lives.values()}
        return Past(self.base.held, order, end, floors, set(self._places))

    # Checks after all participants were disconnected.

    def covered(self) -> int:
        """Returns the sequence up to which the order is complete, except entries targeted at participants that did
        not read them."""
        assert self.base is not None
        end = self.base.sequence
        for span in sorted(self.spans, key=lambda span: span.after):
            if span.after <= end:
                end = max(end, span.end)
        return end

    def settle(self) -> None:
        """Checks the received entries after all participants were disconnected, and records the committed ones."""
        previous: dict[int, int] = {}
        for sequence in sorted(self.order):
            entry = self.order[sequence]
            if not entry.is_system and entry.sender:
                before = previous.get(entry.sender, 0)
                assert entry.client_sequence > before, f"not in its sender's order, after {before}: {entry}"
                previous[entry.sender] = entry.client_sequence
            if sequence <= self.told_committed:
                self._note_committed(entry)
        for life in self.lives.values():
            if life.begins_at is not None and life.begins_at <= self.told_committed:
                life.is_committed = True
        self._check_snapshots()

    def _note_committed(self, entry: Entry) -> None:
        if not entry.is_system:
            if entry.sender:
                life = self.lives[entry.sender]
                life.committed = max(life.committed, entry.client_sequence)
        elif entry.type == "attachment":
            id_, state = attachment_state(entry)
            self.committed.attachments[id_] = max(state, self.committed.attachments.get(id_, 0))
        elif entry.type == "activity":
            title = json.loads(entry.payload)["title"]
            self.committed.activity = max(self.committed.activity, ordinal(title))
        elif entry.type == "participants":
            for changed in json.loads(entry.payload).get("changed", []):
                if life := self.lives.get(changed["number"]):
                    life.name_committed = max(life.name_committed, ordinal(changed["name"]))

    def _check_snapshots(self) -> None:
        """Checks that every snapshot of this epoch follows from the first one and the order (P3)."""
        if self.base is None:
            return
        end = self.covered()
        retained = retained_of(self.base.held)
        due = [s for s in self.snapshots if self.base.sequence <= s.sequence <= end]
        due.sort(key=lambda snapshot: snapshot.sequence)
        self.snapshots = [s for s in self.snapshots if s.sequence > end]
        for sequence in [*sorted(s for s in self.order if s > self.base.sequence), 1 << 53]:
            while due and due[0].sequence < sequence:
                snapshot = due.pop(0)
                assert retained.held() == snapshot.held, (
                    f"the snapshot of {snapshot.whose} at {snapshot.sequence} is not what the order gives: "
                    + difference(retained.held(), snapshot.held)
                )
            if sequence in self.order:
                retained.apply(self.order[sequence])


def retained_of(held: Held) -> Retained:
    """Returns a client state with these retained entries."""
    retained = Retained()
    for key, kept in held.items():
        retained.keys[key] = [Entry(0, *of[:3], key, *of[3:]) for of in kept]
    return retained


def attachment_state(entry: Entry) -> tuple[str, int]:
    """Returns the attachment of a system entry, and its state."""
    retained = Retained()
    retained.apply(entry)
    for id_, attachment in retained.attachments.items():
        return id_, READY if attachment["state"] == "ready" else UPLOADING
    assert entry.key is not None
    h = entry.key.hex().upper()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}", REMOVED


def ordinal(text: str) -> int:
    """Returns the number at the end of a name or a title; 0 if there is none."""
    last = text.rsplit(" ", 1)[-1]
    return int(last) if last.isdigit() else 0


def difference(one: dict[bytes, Any], other: dict[bytes, Any]) -> str:
    """Returns the first few different keys with both values."""
    keys = [key for key in sorted(one.keys() | other.keys()) if one.get(key) != other.get(key)]
    told = [f"{key.hex()}: {_short(one.get(key))} and {_short(other.get(key))}" for key in keys[:4]]
    return f"{len(keys)} keys differ: " + "; ".join(told)


def _short(kept: Any) -> str:
    return repr(kept)[:300]
