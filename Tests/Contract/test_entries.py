"""Section 3: entries, with each flag, and refused entries."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from gateway import Gateway
from room import Room, append, key, note, numbered, replace, targeted
from vectors import bytes_of, vectors
from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, SEALED, TARGETED, Outgoing

KEY = key(7)


def is_reliable(entry: bytes) -> bool:
    return bool(entry[4] & RELIABLE)


FIELDS: list[tuple[str, Outgoing]] = [
    ("plain", Outgoing("Note", b"payload", RELIABLE)),
    ("no payload", Outgoing("Note", b"", RELIABLE)),
    ("any bytes", Outgoing("Note", bytes(range(256)), RELIABLE)),
    ("a type of 1 byte", Outgoing("N", b"x", RELIABLE)),
    ("a type of 255 bytes", Outgoing("é" * 127 + "x", b"x", RELIABLE)),
    ("append", Outgoing("Note", b"x", RELIABLE | APPEND, KEY)),
    ("replace", Outgoing("Note", b"x", RELIABLE | REPLACE, KEY)),
    ("remove of a key that is not held", Outgoing("Note", b"", RELIABLE | REMOVE, KEY)),
    ("sealed", Outgoing("Note", b"\0secret", RELIABLE | SEALED)),
    ("sealed and replaced", Outgoing("Note", b"\0secret", RELIABLE | SEALED | REPLACE, KEY)),
    ("the key of zeros", Outgoing("Note", b"x", RELIABLE | APPEND, bytes(16))),
    ("262,144 bytes", Outgoing("Note", b"x" * 262_144, RELIABLE)),
]
ENTRIES = vectors("entries")
REFUSED = {row["name"]: bytes_of(row["bytes"]) for row in ENTRIES["refusedFromClients"]}
BAD = [
    (row["name"], REFUSED[row["name"]])
    for row in ENTRIES["refusedFromClients"]
    if is_reliable(REFUSED[row["name"]])
    and row["code"] == "bad-entry"
    and row["fault"] != "no-sequence-on-reliable"
]
BAD_UNRELIABLE = [(name, bytes_) for name, bytes_ in REFUSED.items() if not is_reliable(bytes_)]
BAD_UNRELIABLE += [("an unknown target", Outgoing("N", b"bad", TARGETED, targets=[999_999]).encoded(0))]
UNCUT = [(row["name"], bytes_of(row["bytes"])) for row in ENTRIES["undividable"]]


def with_sequence(entry: bytes, client_sequence: int) -> bytes:
    """Returns an encoded entry under another client sequence."""
    return entry[:6] + struct.pack(">I", client_sequence) + entry[10:]


def ids(table: list[tuple[str, Any]]) -> list[str]:
    return [name for name, _ in table]


@pytest.mark.parametrize("entry", [entry for _, entry in FIELDS], ids=ids(FIELDS))
async def test_every_field_arrives_at_the_others_and_at_the_sender(gateway: Gateway, entry: Outgoing) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(entry)
        for person in (ada, ben):
            await person.wait_for(
                lambda person=person: any(e.client_sequence == 1 for e in person.received), "the entry"
            )
            (came,) = [e for e in person.received if not e.is_system]
            assert (came.flags, came.sender, came.client_sequence) == (entry.flags, ada.number, 1)
            assert (came.key, came.type, came.payload) == (entry.key, entry.type, entry.payload)
            assert came.sequence > 0
        assert ada.received[-1] == ben.received[-1]


async def test_any_number_of_entries_in_a_message_in_their_order(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(*[note(str(n)) for n in range(900)]))
        await ben.got(b"899")
        came = [e for e in ben.received if not e.is_system]
        assert [e.payload for e in came] == [str(n).encode() for n in range(900)]
        assert [e.client_sequence for e in came] == list(range(1, 901))


async def test_an_empty_message_is_ignored(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(b"")
        ada.send(note("x"))
        await ada.got(b"x")


@pytest.mark.parametrize("entry", [entry for _, entry in BAD], ids=ids(BAD))
async def test_bad_entry_uses_the_client_sequence_up(gateway: Gateway, entry: bytes) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("before").encoded(1) + with_sequence(entry, 2) + note("after").encoded(3))
        error = await ada.error()
        assert (error["code"], error["clientSequence"]) == ("bad-entry", 2)
        assert len(error["detail"]) > 10
        await ben.got(b"before", b"after")
        assert [e.client_sequence for e in ben.received if not e.is_system] == [1, 3]
        assert len(ada.errors) == 1 and ada.close is None


async def test_client_sequence_0_on_a_reliable_entry_uses_nothing_up(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(note("zero").encoded(0))
        assert (await ada.error())["code"] == "bad-entry"
        await ada.raw(note("one").encoded(1))
        await ada.got(b"one")


@pytest.mark.parametrize("bytes_", [entry for _, entry in BAD_UNRELIABLE], ids=ids(BAD_UNRELIABLE))
async def test_wrong_unreliable_entries_are_dropped_and_never_answered(
    gateway: Gateway, bytes_: bytes
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(bytes_, note("after").encoded(1))
        for person in (ada, ben):
            await person.got(b"after")
            assert [e.payload for e in person.received if not e.is_system] == [b"after"]
        assert not ada.errors


@pytest.mark.parametrize("bytes_", [entry for _, entry in UNCUT], ids=ids(UNCUT))
async def test_an_unparsable_entry_closes_with_1008_and_earlier_ones_are_kept(
    gateway: Gateway, bytes_: bytes
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("before").encoded(1) + bytes_)
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (1008, "bad-entry")
        await ben.got(b"before")
        await ada.join()
        assert ada.joined["resumed"] is True and ada.joined["acknowledged"] == 1


async def test_a_payload_over_the_limit_is_message_too_large_and_uses_its_sequence_up(
    gateway: Gateway,
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(note(bytes(262_145)), note("after")))
        error = await ada.error()
        assert (error["code"], error["clientSequence"]) == ("message-too-large", 1)
        assert (error["limit"], error["actual"]) == (262_144, 262_145)
        await ben.got(b"after")


async def test_the_payload_limit_is_message_bytes(gateway_with) -> None:
    gateway: Gateway = gateway_with(messageBytes=100)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(numbered(note(b"x" * 100), note(b"y" * 101), note("z")))
        await ada.got(b"x" * 100, b"z")
        assert (await ada.error())["limit"] == 100


async def test_a_message_of_1_mib_is_accepted(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        entries = [note(bytes([n]) * 262_118) for n in range(4)]
        message = numbered(*entries)
        message += Outgoing("T", bytes((1 << 20) - len(message) - 11), RELIABLE).encoded(5)
        assert len(message) == 1 << 20
        await ada.raw(message)
        await ada.wait_for(lambda: any(e.client_sequence == 5 for e in ada.received), "all five")


async def test_targeted_entries_go_to_their_targets_and_back_to_the_sender(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben, cleo, dan = [await room.join() for _ in range(4)]
        await dan.say(leave={})
        await dan.closed()
        ada.send(targeted("two", ben.number, cleo.number), targeted("one", cleo.number))
        ada.send(targeted("who left is skipped", ben.number, dan.number), targeted("nobody"))
        ada.send(targeted("twice", ben.number, ben.number), note("all"))
        expected = {
            ada: [b"two", b"one", b"who left is skipped", b"nobody", b"twice", b"all"],
            ben: [b"two", b"who left is skipped", b"twice", b"all"],
            cleo: [b"two", b"one", b"all"],
        }
        for person, payloads in expected.items():
            await person.got(b"all")
            came = [e for e in person.received if not e.is_system]
            assert [e.payload for e in came] == payloads
            assert all(bool(e.flags & TARGETED) == (e.payload != b"all") for e in came)
        assert not ada.errors


async def test_a_thousand_targets_are_accepted(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(targeted("to many", *[ben.number] * 1_000))
        await ben.got(b"to many")


async def test_an_unused_number_is_an_unknown_participant(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(targeted("x", ben.number, 4_000_000_000), targeted("y", 0), note("after")))
        error = await ada.error(2)
        assert [(e["code"], e["clientSequence"]) for e in ada.errors] == [
            ("unknown-participant", 1), ("unknown-participant", 2)
        ]  # fmt: skip
        assert len(error["detail"]) > 10
        await ben.got(b"after")
        assert [e.payload for e in ben.received if not e.is_system] == [b"after"]


async def test_existing_takes_effect_only_if_the_key_is_retained_then(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1, "no key", EXISTING), replace(1, "still none", EXISTING))
        ada.send(append(1, "begun"), append(1, "added", EXISTING), replace(1, "whole", EXISTING))
        ada.send(Outgoing("Mark", b"", RELIABLE | REMOVE, key(1)), append(1, "after the removal", EXISTING))
        for person in (ada, ben):
            came = await person.got(
                b"no key", b"still none", b"begun", b"added", b"whole", b"after the removal"
            )
            changed_nothing = [bool(entry.flags & EXISTING) for entry in came]
            assert changed_nothing == [True, True, False, False, False, True]
            assert person.retained.payloads() == {}
        late = await room.join()
        assert late.retained.payloads() == {} and len(late.snapshots) == 1
