"""Checks after a restart: the state of a new joiner must have all entries that any participant had seen as
committed."""

from __future__ import annotations

from collections import Counter

from client import Client
from lasting import LastingGateway
from people import Drawer, Person
from retained import Held
from sent import SHARED, WRONG, Life, is_of
from story import READY, REMOVED, Past, Story, difference, ordinal, retained_of
from wire import RETENTION

Acknowledged = dict[int, int]
"""For each participant number: the client sequences up to this one are used."""


class Auditor:
    """Checks one session with a new participant."""

    def __init__(
        self, gateway: LastingGateway, story: Story, drawers: list[Drawer], counts: Counter[str]
    ) -> None:
        self._gateway, self._story, self._drawers, self._counts = gateway, story, drawers, counts
        self.witness: Person | None = None
        """The last new participant, which stayed."""

    async def look(self, is_alone: bool) -> None:
        """Joins and checks the state. If no other participant joins meanwhile, more of it is checked."""
        epoch = self._story.epoch
        self.witness = Person(self._gateway, self._story, f"witness {len(self._story.people)}")
        await self.witness.join(name="Witness")
        held = self.witness.retained.held()
        if self._story.base is None:
            self._story.base = self._story.snapshots[-1]
        acknowledged = await self._ask_for_acknowledged() if is_alone else None
        if self._story.epoch != epoch and acknowledged is not None:
            self._story.is_exact = True
            for life in self._story.lives.values():
                life.floor = acknowledged[life.number]
            self._check_shared(self._story.past, acknowledged, held)
        self._check_senders(held, acknowledged)
        for life in self._story.lives.values():
            self._check_own(life, held, acknowledged)
        self._check_people_and_journal()
        self._counts["looks"] += 1

    async def _ask_for_acknowledged(self) -> Acknowledged:
        """Resumes with each drawer's token: the response shows which entries the session has of it, independent of
        the drawer."""
        acknowledged = dict.fromkeys(self._story.lives, 0)
        for drawer in self._drawers:
            life = drawer.life
            if life is None:
                continue
            least = max(life.committed, self._story.seen_of(life.number))
            probe = Person(self._gateway, self._story, f"{drawer.name} by its token")
            probe.token = drawer.token
            await probe.join()
            resumed = probe.joined["resumed"]
            assert resumed or not life.is_committed, f"{drawer.name} is unknown, though committed"
            if resumed:
                acknowledged[life.number] = probe.joined["acknowledged"]
            await probe.cut()
            assert probe.retained.keys.keys() == self._witness.retained.keys.keys()
            assert least <= acknowledged[life.number] <= len(life.entries), (
                f"{drawer.name}: {acknowledged[life.number]} on disk of {len(life.entries)}, "
                f"{least} at least had to be kept"
            )
            # No entry was sent since the start of the gateway: its state is that of the disk.
            life.committed = acknowledged[life.number]
        return acknowledged

    @property
    def _witness(self) -> Client:
        assert self.witness is not None
        return self.witness

    def _check_senders(self, held: Held, acknowledged: Acknowledged | None) -> None:
        """Checks that all retained entries were sent like this, by participants that are announced."""
        told = {
            p["number"]
            for p in [*self._witness.retained.people.values(), *self._witness.retained.past.values()]
        }
        for key, kept in held.items():
            for _, sender, client_sequence, type_, payload in kept:
                life = self._story.lives.get(sender)
                assert life is not None, f"{payload[:40]!r} is from {sender}, who is nobody"
                assert sender in told, f"{sender} sent {payload[:40]!r} and is not told of"
                most = len(life.entries) if acknowledged is None else acknowledged[sender]
                assert client_sequence <= most, f"{client_sequence} of {sender} is held, {most} acknowledged"
                sent = life.entries[client_sequence - 1]
                assert (sent.type, sent.payload, sent.key) == (type_, payload, key), f"{sent} is held wrongly"

    def _check_own(self, life: Life, held: Held, acknowledged: Acknowledged | None) -> None:
        """Checks that the drawer's own keys retain its accepted entries, each once."""
        own = {
            key: [payload for *_, payload in kept]
            for key, kept in held.items()
            if is_of(key, life.drawer) and kept[0][1] == life.number
        }
        if acknowledged is not None:
            expected = life.held_after(acknowledged[life.number])
            assert own == expected, f"of drawer {life.drawer}: " + difference(expected, own)
            return
        candidates = range(life.committed, len(life.entries) + 1)
        assert any(own == life.held_after(accepted) for accepted in candidates), (
            f"of drawer {life.drawer}, from {life.committed} on: "
            + difference(life.held_after(life.committed), own)
        )

    def _check_shared(self, past: Past | None, acknowledged: Acknowledged, held: Held) -> None:
        """Checks that the restored state is that after a prefix of the order that all participants saw."""
        if past is None or self._has_unseen_shared(past, acknowledged):
            self._counts["orders not wholly known"] += 1
            return
        retained = retained_of(past.base)
        broke_off_at = None
        for entry in past.order:
            if entry.is_system or not entry.sender:
                continue
            if entry.client_sequence > acknowledged[entry.sender]:
                broke_off_at = broke_off_at or entry
            elif entry.sequence > past.end:
                self._counts["orders not wholly known"] += 1
                return
            else:
                assert broke_off_at is None, f"{entry} is kept, and {broke_off_at} before it is not"
                retained.apply(entry)
        expected, came = _shared(retained.held()), _shared(held)
        assert came == expected, "of all: " + difference(expected, came)
        self._counts["orders kept up to a point"] += 1

    def _has_unseen_shared(self, past: Past, acknowledged: Acknowledged) -> bool:
        """Returns true if an entry is retained that no participant received, and whose position matters."""
        for life in self._story.lives.values():
            for n in range(past.floors.get(life.number, 0) + 1, acknowledged[life.number] + 1):
                entry = life.entries[n - 1]
                counts = (
                    entry.flags & RETENTION and entry.type != WRONG and entry.key and entry.key[0] == SHARED
                )
                if counts and (life.number, n) not in past.places:
                    return True
        return False

    def _check_people_and_journal(self) -> None:
        retained, committed = self._witness.retained, self._story.committed
        for id_, state in committed.attachments.items():
            attachment = retained.attachments.get(id_)
            assert attachment is not None or state == REMOVED, f"attachment {id_} is gone"
            if attachment is not None:
                assert state != REMOVED, f"{attachment} was removed"
                assert state != READY or attachment["state"] == "ready", f"{attachment} was ready"
        assert retained.activity is not None
        title = retained.activity["title"]
        assert ordinal(title) >= committed.activity, f"{title!r}, and {committed.activity} was committed"
        for person in [*retained.people.values(), *retained.past.values()]:
            life = self._story.lives.get(person["number"])
            assert life is None or ordinal(person["name"]) >= life.name_committed, person


def _shared(held: Held) -> dict[bytes, list[tuple[int, int, str, bytes]]]:
    return {key: [of[1:] for of in kept] for key, kept in held.items() if key[0] == SHARED}
