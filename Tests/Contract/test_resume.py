"""Section 2.1: a lost connection is not a leave."""

from __future__ import annotations

import pytest

from gateway import Gateway
from polling import until
from rawsocket import RawSocket
from room import Room, append, note, numbered, replace, targeted
from wire import Outgoing


async def test_a_resume_keeps_the_participant_and_is_not_announced(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        before = ada.joined["participant"], ada.token
        ada.send(note("1"), note("2"))
        await ben.got(b"1", b"2")
        await ada.cut()
        await ada.join()
        assert ada.joined["resumed"] is True and ada.joined["acknowledged"] == 2
        assert (ada.joined["participant"], ada.token) == before
        ada.send(note("3"))
        await ben.got(b"3")
        changes = [entry for entry in ben.received if entry.type == "participants"]
        assert all(b'"left"' not in e.payload or b'"left":[]' in e.payload for e in changes)
        assert ada.id in ben.retained.people


async def test_a_tail_is_exactly_the_entries_after_after(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben, cleo = await room.join("Ada"), await room.join("Ben"), await room.join("Cleo")
        ada.send(append(1, "seen"))
        await ben.got(b"seen")
        await ben.cut()
        ada.send(
            note("a"), append(1, "b"), replace(2, "c"), Outgoing("Note", b"d", 1 | 8, targets=[ben.number])
        )
        ada.send(Outgoing("Note", b"not for Ben", 1 | 8, targets=[cleo.number]), note("e"))
        await ada.got(b"e")
        seen = len(ben.received)
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        tail = [entry.payload for entry in ben.received[seen:] if not entry.is_system]
        assert tail == [b"a", b"b", b"c", b"d", b"e"]
        assert ben.retained.held() == ada.retained.held()


async def test_a_tail_may_be_empty(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        await ada.cut()
        seen = len(ada.received)
        await ada.join()
        assert ada.catch_ups[-1] == "tail" and len(ada.received) == seen


@pytest.mark.parametrize("change", ["no after", "another epoch", "after of the future", "no epoch"])
async def test_without_a_valid_after_the_catch_up_is_a_snapshot(gateway: Gateway, change: str) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"), note("y"))
        await ada.committed()
        await ada.cut()
        if change == "no after":
            ada.after = None
        elif change == "another epoch":
            ada.epoch = "another"
        elif change == "no epoch":
            ada.epoch = ""
        else:
            ada.after = ada.last + 1_000_000
        await ada.join()
        assert ada.catch_ups[-1] == "snapshot" and ada.joined["resumed"] is True
        assert ada.retained.payloads() == {(1).to_bytes(16, "big"): [b"x"]}


async def test_a_client_behind_the_tail_gets_a_snapshot(gateway_with) -> None:
    gateway: Gateway = gateway_with(catchUpTailBytes=200_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ben.cut()
        await ada.send_paced(append(1, "kept"), *[note(b"%d" % n + bytes(10_000)) for n in range(60)])
        await ben.join()
        assert ben.catch_ups[-1] == "snapshot" and ben.joined["resumed"] is True
        assert ben.retained.held() == ada.retained.held()


async def test_a_client_within_the_tail_gets_a_tail_after_older_entries_are_dropped(gateway_with) -> None:
    gateway: Gateway = gateway_with(catchUpTailBytes=200_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.send_paced(*[note(b"%d" % n + bytes(10_000)) for n in range(60)])
        await ben.wait_for(lambda: ben.last >= ada.last, "all seen")
        await ben.cut()
        ada.send(*[note(b"later %d" % n + bytes(10_000)) for n in range(5)])
        await ada.committed()
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        await ben.got(*[b"later %d" % n + bytes(10_000) for n in range(5)])


async def test_after_the_grace_time_a_participant_leaves_and_can_resume(gateway_with) -> None:
    gateway: Gateway = gateway_with(graceSeconds=1)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(note("1"))
        await ada.committed()
        before = ada.joined["participant"]
        await ada.cut()
        gone = await ben.system("participants", lambda change: change.get("left"))
        assert gone["left"] == [{"id": before["id"], "number": before["number"], "reason": "gone"}]
        seen = len(ben.received)
        await ada.join()
        assert ada.joined["participant"] == before
        assert ada.joined["resumed"] is True and ada.joined["acknowledged"] == 1
        await ben.wait_for(lambda: len(ben.received) > seen, "Ada is back")
        assert ada.id in ben.retained.people
        ada.send(note("2"))
        await ben.got(b"2")


async def test_a_close_with_1001_shortens_the_grace_time_to_five_seconds(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.ws.close(1001)
        gone = await ben.system("participants", lambda change: change.get("left"))
        assert gone["left"][0]["reason"] == "gone"


async def test_leave_invalidates_the_token(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, _ = await room.join("Ada"), await room.join("Ben")
        before = ada.id, ada.number
        await ada.say(leave={})
        await ada.closed()
        await ada.join(name="Ada")
        assert ada.joined["resumed"] is False and ada.joined["acknowledged"] == 0
        assert ada.id != before[0] and ada.number != before[1]


async def test_an_unknown_token_is_a_new_participant_with_new_sequences(
    gateway: Gateway,
) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.client().join(), await room.join("Ben")
        ada.send(note("1"))
        await ada.committed()
        await ada.cut()
        ada.token = "A" * len(ada.token or "")
        ada.send(note("2"), note("3"))
        await ada.join()
        assert ada.joined["resumed"] is False
        sent = await ben.got(b"2", b"3")
        assert [entry.client_sequence for entry in sent] == [1, 2]
        assert sent[0].sender == ada.number


async def test_a_next_above_acknowledged_counts_as_acknowledged(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        resume = ada.resume()["resume"]
        await ada.cut()
        await ada.connect()
        await ada.say(join={"resume": resume | {"next": 42}})
        assert (await ada.control("joined", 2))["acknowledged"] == 41
        await ada.control("caughtUp", 2)
        await ada.raw(note("42").encoded(42))
        await ada.got(b"42")


async def test_a_resume_elsewhere_closes_the_old_socket_with_4009(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(note("1"))
        await ada.committed()
        twin = room.client()
        twin.token, twin.epoch, twin.after = ada.token, ada.epoch, ada.after
        await twin.join()
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (4009, "resumed-elsewhere")
        assert twin.id == ada.id and twin.joined["acknowledged"] == 1
        assert ada.token is None
        ada.send(note("from the old tab"))
        await ada.join()
        assert ada.id != twin.id
        assert (await twin.got(b"from the old tab"))[0].client_sequence == 1


async def test_one_of_many_concurrent_resumes_stays(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(note("1"))
        await ada.committed()
        twins = [room.client() for _ in range(12)]
        for twin in twins:
            twin.token, twin.epoch, twin.after = ada.token, ada.epoch, ada.after
            await twin.connect()
        for twin in twins:
            await twin.say(join=twin.resume())
        await ada.closed()
        await until(lambda: sum(twin.close is None for twin in twins) == 1, "eleven of twelve are closed")
        left = [twin for twin in twins if twin.close is None]
        assert all(twin.close and twin.close[0] == 4009 for twin in twins if twin is not left[0])
        await left[0].control("caughtUp")
        assert left[0].joined["acknowledged"] == 1 and left[0].id == ada.id
        left[0].send(note("2"))
        (entry,) = await ben.got(b"2")
        assert entry.sender == ada.number
        assert set(ben.retained.people) == {ada.id, ben.id}


async def test_the_old_socket_is_closed_before_acknowledged_is_computed(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(*[note(f"{n}") for n in range(1, 101)]))
        twin = room.client()
        twin.token = ada.token
        await twin.join()
        acknowledged = twin.joined["acknowledged"]
        await twin.raw(note("next").encoded(acknowledged + 1))
        await ben.got(b"next")
        mine = [e.client_sequence for e in ben.received if e.sender == twin.number and not e.is_system]
        assert mine == list(range(1, acknowledged + 2))
        assert not twin.errors


async def test_repetitions_are_dropped_and_counted(gateway_with) -> None:
    # One reactor, because /metrics shows the counters of others a moment later.
    gateway: Gateway = gateway_with("--reactors", "1", idleSeconds=58)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        message = numbered(note("1"), note("2"), note("3"))
        await ada.raw(message)
        await ada.got(b"3")
        before = await _repeats(gateway)
        await ada.raw(message, message, note("4").encoded(4))
        await ada.got(b"4")
        assert [e.payload for e in ada.received if not e.is_system] == [b"1", b"2", b"3", b"4"]
        assert await _repeats(gateway) - before == 6


async def test_only_the_newest_past_participants_are_known(gateway_with) -> None:
    gateway: Gateway = gateway_with(graceSeconds=1, pastParticipants=1)
    async with Room(gateway) as room:
        host = await room.join("Host")
        first, second = await room.join("First"), await room.join("Second")
        await host.wait_for(lambda: {first.id, second.id} <= host.retained.people.keys(), "both came")
        for person in (first, second):
            await person.cut()
            await host.wait_for(lambda person=person: person.id not in host.retained.people, "gone")
        await second.join()
        assert second.joined["resumed"] is True
        await first.join()
        assert first.joined["resumed"] is False


async def test_a_targeted_entry_reaches_an_absent_participant_on_resume(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        number = ben.number
        await ben.cut()
        ada.send(targeted("for you", number))
        await ada.got(b"for you")
        await ben.join()
        await ben.got(b"for you")


async def test_a_message_cut_in_the_middle_is_dropped(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        async with await RawSocket.open(gateway, room.id) as socket:
            await socket.join()
            await socket.send(b"\x82\xfe\x10\x00\x00\x00\x00\x00" + note("half").encoded(1))
        ada.send(note("whole"))
        await ada.got(b"whole")
        assert [e.payload for e in ada.received if not e.is_system] == [b"whole"]


async def _repeats(gateway: Gateway) -> float:
    samples = await gateway.metrics()
    found = [value for name, value in samples.items() if "repeat" in name]
    assert found, "no metric counts repeats"
    return sum(found)
