"""Sections 2.1 and 3.2: the content of a catch-up."""

from __future__ import annotations

import asyncio
import zlib

import pytest

from gateway import Gateway
from rawsocket import BINARY, TEXT, RawSocket, frame
from room import Room, append, key, note, remove, replace, targeted
from wire import EXISTING


async def test_a_snapshot_is_exactly_what_the_session_retains(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "a"), append(1, "b"), replace(2, "c"), append(2, "d"), replace(3, "e"))
        ada.send(replace(3, "f"), append(4, "g"), remove(4), append(5, "h"), remove(5), append(5, "i"))
        ada.send(append(6, "never", EXISTING), replace(1, "j", EXISTING), append(1, "k", EXISTING))
        await ada.committed()
        late = await room.join("Late")
        assert late.catch_ups == ["snapshot"]
        assert late.retained.payloads() == {
            key(1): [b"j", b"k"], key(2): [b"c", b"d"], key(3): [b"f"], key(5): [b"i"]
        }  # fmt: skip
        assert late.retained.held() == ada.retained.held()


async def test_a_replace_removes_earlier_appends_but_not_later_ones(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join()
        ada.send(append(1, "old"), replace(1, "new"), append(1, "newer"))
        await ada.committed()
        assert (await room.join()).retained.payloads() == {key(1): [b"new", b"newer"]}


async def test_a_snapshot_omits_unretained_entries_and_those_for_others(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(note("not retained"), targeted("for Ben", ben.number), append(1, "retained"))
        await ada.committed()
        late = await room.join("Late")
        assert [e.payload for e in late.snapshots[0] if not e.is_system] == [b"retained"]


async def test_a_snapshot_begins_with_participants_and_activity_at_sequence_0(gateway: Gateway) -> None:
    activity = {"identifier": "chess", "title": "Chess", "type": "game", "payload": [1]}
    async with Room(gateway, activity) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        late = await room.join("Late")
        kinds = [(e.sequence, e.type) for e in late.snapshots[0]]
        state = [kind for sequence, kind in kinds if sequence == 0]
        assert kinds[: len(state)] == [(0, kind) for kind in state]
        assert set(state) == {"participants", "activity"}
        assert {p["name"] for p in late.retained.people.values()} == {"Ada", "Late"}
        assert late.id in late.retained.people
        assert late.retained.activity is not None
        assert {name: late.retained.activity[name] for name in activity} == activity


async def test_past_names_the_former_senders_of_entries_in_the_snapshot(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben, host = await room.join("Ada"), await room.join("Ben"), await room.join("Host")
        ada.send(append(1, "drawn and gone"))
        ben.send(note("nothing retained"))
        await ada.committed()
        await ben.committed()
        for person in (ada, ben):
            await person.say(leave={})
            await person.closed()
        late = await room.join("Late")
        assert [p["name"] for p in late.retained.past.values()] == ["Ada"]
        assert next(iter(late.retained.past.values()))["number"] == ada.number
        assert set(late.retained.people) == {late.id, host.id}


async def test_a_large_snapshot_is_complete_and_in_order(gateway_with) -> None:
    gateway: Gateway = gateway_with(bytesPerSecond=1 << 30, entriesPerSecond=1_000_000)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(*[append(n % 300, f"{n} " + "x" * (n % 3_000)) for n in range(2_000)])
        ada.send(*[replace(1_000 + n, "y" * 200_000) for n in range(5)])
        ada.send(*[remove(n) for n in range(0, 300, 2)])
        await ada.committed()
        plain, compressed = await room.join(compression=None), await room.join(compression="deflate")
        assert len(plain.retained.keys) == 155
        assert plain.retained.held() == compressed.retained.held() == ada.retained.held()


@pytest.mark.parametrize("compression", ["deflate", None])
async def test_no_entry_is_missing_or_duplicated_between_catch_up_and_live(
    gateway_with, compression: str | None
) -> None:
    gateway: Gateway = gateway_with(bytesPerSecond=1 << 30, entriesPerSecond=1_000_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        late = [room.client(compression=compression) for _ in range(8)]
        joins = asyncio.gather(*[person.join() for person in late])
        sent = 0
        while not joins.done() or sent < 2_000:
            for person in (ada, ben):
                person.send(append(sent % 50, f"a{sent}"), replace(sent % 7, f"r{sent}"), remove(sent % 60))
            sent += 1
            await asyncio.sleep(0)
        await joins
        await ada.committed()
        await ben.committed()
        end = max(ada.last, ben.last)
        for person in (*late, ada, ben):
            await person.wait_for(lambda person=person: person.last >= end, "everything came")
            assert person.retained.held() == ada.retained.held()


async def test_every_snapshot_reflects_participants_that_left_or_changed(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        people = [await room.join(f"P{n}") for n in range(6)]
        await people[0].say(profile={"name": "Renamed"})
        await people[1].say(leave={})
        await people[1].closed()
        late = await room.join("P6")
        names = {person["name"] for person in late.retained.people.values()}
        assert names == {"Renamed", "P2", "P3", "P4", "P5", "P6"}
        for person in [people[0], *people[2:], late]:
            await person.wait_for(
                lambda person=person: person.retained.people == late.retained.people, "the same people"
            )


async def test_caught_up_and_catch_up_name_the_same_sequence_and_epoch(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        begin, end = ada.last_control("catchUp"), ada.last_control("caughtUp")
        assert begin["sequence"] == end["sequence"] >= ada.joined["sequence"]
        assert begin["epoch"] == ada.joined["epoch"]


async def snapshot_of(gateway: Gateway, room: Room, offer: str | None) -> tuple[bytes, int]:
    """Returns the messages up to `caughtUp`, joined, without those of the state, and the size of their frames."""
    async with await RawSocket.open(gateway, room.id, Sec_WebSocket_Extensions=offer) as peer:
        await peer.send(frame(TEXT, b'{"join": {}}'))
        content, size = b"", 0
        while True:
            received = await peer.receive()
            if received.opcode == TEXT and b'"caughtUp"' in received.payload:
                return content, size
            if received.opcode != BINARY or b"participants" in received.payload[:40]:
                continue
            size += len(received.payload)
            if received.reserved:
                assert received.reserved == 0x40, received
                inflater = zlib.decompressobj(wbits=-15)
                content += inflater.decompress(received.payload + b"\0\0\xff\xff")
            else:
                content += received.payload


async def test_a_snapshot_is_compressed_if_compression_was_negotiated(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        for n in range(300):
            ada.send(*(append(n % 50, f'{{"id":{n},"points":[[1.5,2.5],[3.5,4.5],[5.5,6.5]]}}') for _ in range(4)))
        await ada.committed()
        offer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        plain, plain_size = await snapshot_of(gateway, room, None)
        content, size = await snapshot_of(gateway, room, offer)
        assert content == plain and len(plain) == plain_size
        assert size < plain_size / 4, (size, plain_size)
        # More entries follow, so more has to be compressed.
        ada.send(*(append(n, f"later {n} " * 20) for n in range(60)))
        await ada.committed()
        assert (await snapshot_of(gateway, room, offer))[0] == (await snapshot_of(gateway, room, None))[0]
        # A client with a small window gets no data that needs a large window.
        narrow, narrow_size = await snapshot_of(gateway, room, offer + "; server_max_window_bits=9")
        assert len(narrow) == narrow_size
