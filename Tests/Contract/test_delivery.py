"""Section 3.1: order, repetitions, gaps, and silently dropped entries."""

from __future__ import annotations

import asyncio

import pytest

from gateway import Gateway
from polling import until
from room import Room, note, numbered, targeted, unreliable
from wire import RELIABLE, REMOVE, Outgoing


async def test_one_total_order_and_each_senders_own_order(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        people = [await room.join(f"P{n}") for n in range(4)]
        for n in range(200):
            for person in people:
                person.send(note(f"{person.number}/{n}"))
            await asyncio.sleep(0)
        last = [f"{person.number}/199".encode() for person in people]
        orders = []
        for person in people:
            await person.got(*last)
            orders.append([(e.sequence, e.payload) for e in person.received if not e.is_system])
        assert orders[0] == orders[1] == orders[2] == orders[3]
        for person in people:
            mine = [e.client_sequence for e in people[0].received if e.sender == person.number]
            assert mine == list(range(1, 201))


async def test_a_single_participant_gets_its_own_entry_back(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        for n in range(5):
            ada.send(note(str(n)))
            await ada.got(str(n).encode())


async def test_a_gap_is_refused_once_until_the_expected_entry_arrives(
    gateway: Gateway,
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("1").encoded(1), note("3").encoded(3), note("4").encoded(4), note("9").encoded(9))
        error = await ada.error()
        assert (error["code"], error["clientSequence"], error["expected"]) == ("sequence-gap", 3, 2)
        await ada.raw(numbered(note("2"), note("3"), first=2))
        await ben.got(b"1", b"2", b"3")
        assert [e.client_sequence for e in ben.received if not e.is_system] == [1, 2, 3]
        assert len(ada.errors) == 1


async def test_after_the_expected_entry_a_new_gap_is_refused_again(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(note("5").encoded(5), note("1").encoded(1), note("7").encoded(7))
        await ada.error(2)
        assert [(e["clientSequence"], e["expected"]) for e in ada.errors] == [(5, 1), (7, 2)]


async def test_after_a_gap_unreliable_entries_and_control_messages_are_accepted(
    gateway: Gateway,
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("3").encoded(3))
        await ada.error()
        await ada.say(profile={"name": "Still heard"})
        await ben.system("participants", lambda change: change.get("changed"))


@pytest.mark.parametrize(
    "wrong", [Outgoing("", b"x", RELIABLE), note(bytes(300_000)), targeted("x", 999_999)]
)
async def test_the_sequence_is_checked_before_the_entry(gateway: Gateway, wrong: Outgoing) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(wrong.encoded(5))
        assert (await ada.error())["code"] == "sequence-gap"


@pytest.mark.parametrize(
    "wrong", [Outgoing("", b"x", RELIABLE), note(bytes(300_000)), targeted("x", 999_999)]
)
async def test_a_repetition_is_detected_before_other_checks(gateway: Gateway, wrong: Outgoing) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(note("1").encoded(1), wrong.encoded(1), note("2").encoded(2))
        await ada.got(b"2")
        assert not ada.errors


async def test_a_repetition_of_a_refused_entry_is_dropped(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        wrong = Outgoing("Note", b"x", RELIABLE | REMOVE, bytes(16))
        await ada.raw(wrong.encoded(1), note("right this time").encoded(1), note("2").encoded(2))
        await ada.got(b"2")
        assert len(ada.errors) == 1
        assert [e.payload for e in ada.received if not e.is_system] == [b"2"]


async def test_unreliable_entries_are_sent_to_others_without_a_sequence(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")

        async def arrived() -> bool:
            await ada.raw(unreliable("here").encoded(0))
            return any(e.payload == b"here" for e in ben.received)

        await until(arrived, "an unreliable entry arrives", every=0.05)
        entry = next(e for e in ben.received if e.payload == b"here")
        assert (entry.flags, entry.sequence, entry.client_sequence) == (0, 0, 0)
        assert (entry.sender, entry.type, entry.key) == (ada.number, "Cursor", None)
        assert not ada.errors


async def test_targeted_unreliable_entries_reach_their_targets_only(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben, cleo = [await room.join() for _ in range(3)]

        async def arrived() -> bool:
            await ada.raw(unreliable("psst", numbers=(ben.number,)).encoded(0))
            return any(e.payload == b"psst" for e in ben.received)

        await until(arrived, "a targeted unreliable entry arrives", every=0.05)
        assert next(e for e in ben.received if e.payload == b"psst").flags == 0x08
        ada.send(note("after"))
        await cleo.got(b"after")
        assert not any(e.payload == b"psst" for e in cleo.received)


async def test_unreliable_entries_use_no_sequence_and_are_in_no_tail(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ben.cut()
        await ada.raw(note("1").encoded(1), unreliable("lost").encoded(0), note("2").encoded(2))
        await ada.got(b"1", b"2")
        await ben.join()
        await ben.got(b"1", b"2")
        assert not any(e.payload == b"lost" for e in ben.received)


async def test_sequences_increase_and_stay_below_2_53(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(*[note(str(n)) for n in range(50)])
        await ada.got(b"49")
        sequences = [e.sequence for e in ada.received if e.is_reliable]
        assert sequences == sorted(set(sequences)) and sequences[-1] < 1 << 53


async def test_the_gateway_does_not_interpret_message_types(gateway: Gateway) -> None:
    """An entry of a client may have the type of a system entry, and remains an entry of the client."""
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(Outgoing("participants", b'{"joined": []}', RELIABLE))
        (entry,) = await ben.got(b'{"joined": []}')
        assert entry.sender == ada.number and not entry.is_system


async def test_bursts_are_returned_intact_between_other_frames(gateway_with) -> None:
    """`committed`, errors and unreliable entries never appear inside a partly sent frame."""
    gateway: Gateway = gateway_with(
        bytesPerSecond=1 << 30, entriesPerSecond=1_000_000, catchUpTailBytes=64 << 20
    )
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben", compression=None)
        for n in range(60):
            ada.send(*[note(f"{n}/{size} " + "x" * size) for size in (3, 70_000, 30_000, 100, 70_000, 5_000)])
            await ben.raw(unreliable("cursor", numbers=(ada.number,)).encoded(0), "nonsense")
            await ben.say(profile={"name": f"Ben {n}"})
            await asyncio.sleep(0)
        ada.send(note("end"))
        for person in (ada, ben):
            await person.got(b"end")
        await ada.committed()
        assert sum(e.sender == ada.number and e.is_reliable for e in ben.received) == 361
