"""Sections 1 to 3 over restarts: a clean stop is like a lost connection (P8), a crash keeps committed entries
(P4)."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable

import pytest

from client import Client
from gateway import brief_seconds
from lasting import LastingGateway
from polling import until
from room import Room, append, key, note, remove, replace, targeted
from wire import REMOVE, SYSTEM, Outgoing

WAYS = pytest.mark.parametrize("way", ["stop", "crash"])
TITLES = {"activity": {"identifier": "chess", "title": "Chess", "type": "game", "payload": {"a": [1, None]}}}


async def gone(*people: Client) -> None:
    """Waits until the sockets of these clients have ended."""
    for person in people:
        await person.wait_for(lambda person=person: person.close, "the socket ends")


async def test_after_a_clean_stop_participants_resume_with_tails(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada, ben, cleo = [await room.join(name) for name in ("Ada", "Ben", "Cleo")]
        ada.send(append(1, "seen"))
        await ben.got(b"seen")
        before = [(p.joined["participant"], p.token, p.epoch) for p in (ada, ben)]
        await ben.cut()
        ada.send(note("a"), append(1, "b"), replace(2, "c"), targeted("d", ben.number))
        ada.send(targeted("not for Ben", cleo.number), append(3, "e"), remove(3), note("f"))
        await ada.got(b"f")
        seen, order = len(ben.received), [e for e in ada.received if e.payload in (b"a", b"b", b"c", b"f")]
        await lasting.again("stop")
        await gone(ada, cleo)
        await ben.join()
        await ada.join()
        assert [(p.joined["participant"], p.token, p.epoch) for p in (ada, ben)] == before
        assert ben.joined["resumed"] is True and ada.joined["acknowledged"] == 9
        assert ada.catch_ups[-1] == ben.catch_ups[-1] == "tail"
        tail = [entry for entry in ben.received[seen:] if not entry.is_system]
        assert [entry.payload for entry in tail] == [b"a", b"b", b"c", b"d", b"e", b"", b"f"]
        assert [entry for entry in tail if entry in order] == order
        assert ben.retained.held() == ada.retained.held()
        ada.send(note("and on"))
        (entry,) = await ben.got(b"and on")
        assert entry.sequence > tail[-1].sequence and entry.client_sequence == 10


async def test_a_tail_after_a_clean_stop_may_hold_no_client_entry(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        seen = len(ada.received)
        for _ in range(3):
            await lasting.again("stop")
            await gone(ada)
            await ada.join()
        assert ada.catch_ups[1:] == ["tail"] * 3
        assert not [entry for entry in ada.received[seen:] if not entry.is_system]


async def test_after_a_crash_participants_resume_in_a_new_epoch_with_tails(
    lasting: LastingGateway,
) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1, "a"), replace(2, "b"), append(2, "c"), append(3, "d"), remove(3), note("e"))
        await ada.committed()
        await ben.got(b"e")
        before = [(p.joined["participant"], p.token) for p in (ada, ben)]
        epoch, held = ada.epoch, ada.retained.payloads()
        await lasting.again("crash")
        await gone(ada, ben)
        await ben.join()
        await ada.join()
        assert [(p.joined["participant"], p.token) for p in (ada, ben)] == before
        assert ada.epoch == ben.epoch != epoch
        assert ada.catch_ups[-1] == ben.catch_ups[-1] == "tail"
        assert ada.joined["resumed"] is True and ada.joined["acknowledged"] == 6
        assert ada.retained.payloads() == ben.retained.payloads() == held
        ada.send(append(1, "f"))
        assert (await ben.got(b"f"))[0].client_sequence == 7


@WAYS
async def test_uncommitted_entries_are_sent_again_and_accepted_once(
    lasting: LastingGateway, way: str
) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        sent = 0
        for round_ in range(6):
            texts = [f"{round_}/{n}" for n in range(200)]
            ada.send(*[append(sent + n, text) for n, text in enumerate(texts)])
            sent += len(texts)
            await ben.got(texts[10 * round_].encode())
            await lasting.again(way)
            await gone(ada, ben)
            await ben.join()
            await ada.join()
            await ada.committed()
        late = await room.join("Late")
        assert late.retained.payloads() == {key(n): [f"{n // 200}/{n % 200}".encode()] for n in range(sent)}
        assert {entry.client_sequence for kept in late.retained.keys.values() for entry in kept} == set(
            range(1, sent + 1)
        )
        await ben.wait_for(lambda: ben.retained.held() == late.retained.held(), "all hold the same")


@WAYS
async def test_the_sequence_of_a_refused_entry_stays_used(lasting: LastingGateway, way: str) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("1").encoded(1), Outgoing("Note", b"x", 1 | REMOVE, key(1)).encoded(2))
        await ada.error()
        await ada.raw(note("3").encoded(3))
        (entry,) = await ben.got(b"3")
        await ada.wait_for(lambda: ada.outbox.committed >= entry.sequence, "it is committed")
        await lasting.again(way)
        await gone(ada, ben)
        await ada.join()
        assert ada.joined["acknowledged"] == 3


@WAYS
async def test_a_token_stays_invalid_after_leave(lasting: LastingGateway, way: str) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        token, id_, number = ada.token or "", ada.id, ada.number
        await ada.say(leave={})
        await ada.closed()
        ben.send(note("after that"))
        await ben.committed()
        await lasting.again(way)
        await gone(ben)
        (await lasting.request("DELETE", room.path, {"Participant-Token": token})).problem(
            403, "token-needed"
        )
        ada.token = token
        await ada.join(name="Ada again")
        assert ada.joined["resumed"] is False and ada.joined["acknowledged"] == 0
        assert ada.id != id_ and ada.number not in (number, ben.number)


async def test_a_token_keeps_its_rights_over_a_restart(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        for way in ("crash", "stop"):
            await lasting.again(way)
            body, token = {"follows": room.id}, ada.token or ""
            assert (await lasting.post("/api/sessions", body, Participant_Token=token)).status in (200, 201)
        assert (await lasting.request("DELETE", room.path, {"Participant-Token": token})).status == 204


async def test_participant_numbers_are_never_reused(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        people: dict[int, str] = {}
        for round_ in range(12):
            for _ in range(3):
                person = await room.join(f"Somebody {round_}")
                assert people.setdefault(person.number, person.id) == person.id
            await lasting.again("stop" if round_ % 4 == 3 else "crash")
        assert len(people) == 36


async def test_a_targeted_entry_is_not_sent_to_others_after_a_crash(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        for round_ in range(5):
            others = [await room.join("Other") for _ in range(3)]
            ada.send(*[targeted(f"{round_}/{other.number}", other.number) for other in others])
            ada.send(targeted(f"{round_} for Ben", ben.number), note(f"end {round_}"))
            if round_ % 2:
                await ada.committed()
            await lasting.again("crash")
            await gone(ada, ben, *others)
            strangers = [await room.join("Stranger") for _ in range(4)]
            await ben.join()
            await ada.join()
            await ada.committed()
            ada.send(note(f"all told {round_}"))
            for stranger in strangers:
                await stranger.got(f"all told {round_}".encode())
                seen = [*stranger.received, *[entry for entries in stranger.snapshots for entry in entries]]
                assert not [entry for entry in seen if entry.flags & 0x08]


@WAYS
async def test_activity_and_profiles_survive(lasting: LastingGateway, way: str) -> None:
    async with Room(lasting, TITLES["activity"]) as room:
        ada, ben = await room.join("Ada", compression=None), await room.join("Ben")
        created = (await lasting.session(room.id))["createdAt"]
        await ada.say(profile={"name": "Countess", "color": "#123456"})
        await ada.say(activity={"title": "Chess, second game", "payload": {"move": 1}})
        await ben.system("activity", lambda activity: activity["title"] == "Chess, second game")
        ada.send(note("after that"))
        await ada.committed()
        before = await lasting.session(room.id)
        await lasting.again(way)
        await gone(ada, ben)
        session = await lasting.session(room.id)
        assert session["activity"] == TITLES["activity"] | {
            "title": "Chess, second game",
            "payload": {"move": 1},
        }
        assert session["createdAt"] == created and session["link"] == f"/s/{room.id}"
        if way == "stop":
            assert session["sequence"] == before["sequence"]
        late = await room.join("Late")
        countess = late.retained.people[ada.id]
        assert (countess["name"], countess["color"]) == ("Countess", "#123456")
        assert late.retained.activity is not None and late.retained.activity["payload"] == {"move": 1}
        assert late.retained.activity["by"] == ada.number
        await ada.join()
        assert ada.joined["participant"] == countess | {"id": ada.id, "number": ada.number}


@WAYS
async def test_an_absent_participant_leaves_after_the_grace_time(lasting_with, way: str) -> None:
    # Ada must join again before Ben's grace time ends.
    lasting: LastingGateway = lasting_with(graceSeconds=brief_seconds())
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1, "kept"))
        ben.send(append(2, "of Ben"))
        await ada.committed()
        await ben.committed()
        await lasting.again(way)
        await gone(ada, ben)
        await ada.join()
        assert ben.id in ada.retained.people
        left = await ada.system("participants", lambda change: change.get("left"))
        assert left["left"] == [{"id": ben.id, "number": ben.number, "reason": "gone"}]
        await ben.join()
        assert ben.joined["resumed"] is True and ben.joined["acknowledged"] == 1
        await ada.wait_for(lambda: ben.id in ada.retained.people, "Ben is back")


@WAYS
async def test_waiting_participants_are_forgotten_and_may_wait_again(
    lasting: LastingGateway, way: str
) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.connect()
        await ben.say(wait={"name": "Ben"})
        told = await ada.system("participants", lambda change: change.get("waiting"))
        waited = told["waiting"][-1]
        ada.send(note("after that"))
        await ada.committed()
        await lasting.again(way)
        await gone(ada, ben)
        await ben.connect()
        await ben.say(wait={"name": "Ben"})
        answer = await ben.control("waiting", 2)
        assert answer["session"]["id"] == room.id
        cleo = await room.join("Cleo")
        state = [json.loads(e.payload) for e in cleo.snapshots[0] if e.type == "participants"]
        waiting = [person for part in state for person in part.get("waiting", [])]
        assert len({person["number"] for person in waiting} - {waited["number"]}) == 1, waiting
        joined = [person["number"] for part in state for person in part.get("joined", [])]
        assert waited["number"] not in joined
        await ben.join(name="Ben")
        assert ben.number != waited["number"]


@WAYS
async def test_a_successor_and_its_announcement_are_kept(lasting: LastingGateway, way: str) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        response = await lasting.post(
            "/api/sessions", {"follows": room.id}, Participant_Token=ada.token or ""
        )
        assert response.status == 201
        successor = response.json()["id"]
        await ada.system("newSession", lambda told: told["session"] == successor)
        after = ada.after
        ada.send(note("after that"))
        await ada.committed()
        await lasting.again(way)
        await gone(ada)
        for session in (room.id, successor):
            assert (await lasting.get(f"/api/sessions/{session}")).status == 200
        await ada.join()
        assert ada.after is not None and after is not None
        async with Client(lasting.socket_url(successor)) as there:
            await there.join(name="Ada")
            there.send(append(1, "a new page"))
            await there.committed()


async def test_a_crash_right_after_201_keeps_the_session(lasting: LastingGateway) -> None:
    for _ in range(5):
        response = await lasting.post("/api/sessions", TITLES)
        lasting.kill()
        assert response.status == 201
        lasting.start()
        session = response.json()
        assert await lasting.session(session["id"]) == session
        async with Client(lasting.socket_url(session["id"])) as ada:
            await ada.join(name="Ada")
            assert ada.retained.activity is not None and ada.retained.activity["title"] == "Chess"


@pytest.mark.parametrize("by", ["end", "DELETE"])
async def test_a_crash_right_after_an_end_keeps_the_end(lasting: LastingGateway, by: str) -> None:
    for _ in range(5):
        async with Room(lasting) as room:
            ada, ben = await room.join("Ada"), await room.join("Ben")
            ada.send(append(1, "x"))
            if by == "end":
                await ada.say(end={})
                assert (await ben.closed())[0] == 4010
            else:
                token = {"Participant-Token": ben.token or ""}
                assert (await lasting.request("DELETE", room.path, token)).status == 204
            await lasting.again("crash")
            (await lasting.get(room.path)).problem(410, "ended")
            late = await room.connect()
            assert (await late.closed())[0] == 4010
            (await lasting.request("DELETE", room.path, {"Participant-Token": ada.token or ""})).problem(410)


@WAYS
async def test_an_unknown_session_stays_unknown(lasting: LastingGateway, way: str) -> None:
    await lasting.create_session()
    await lasting.again(way)
    (await lasting.get("/api/sessions/AAAAAAAAAAAAAAAAAAAAAA")).problem(404, "not-found")
    async with Client(lasting.socket_url("AAAAAAAAAAAAAAAAAAAAAA")) as ada:
        await ada.connect()
        assert (await ada.closed())[0] == 4004


@WAYS
async def test_a_session_without_retained_entries_is_kept(lasting: LastingGateway, way: str) -> None:
    async with Room(lasting) as room, Room(lasting) as never_joined:
        ada = await room.join("Ada")
        ada.send(note("passing"))
        await ada.committed()
        await lasting.again(way)
        await gone(ada)
        assert (await lasting.get(never_joined.path)).status == 200
        await ada.join()
        assert ada.joined["acknowledged"] == 1 and not ada.retained.keys
        assert (await never_joined.join("Ben")).joined["resumed"] is False


@WAYS
async def test_two_hundred_join_an_unloaded_session_at_once(
    lasting: LastingGateway, way: str
) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        await ada.send_paced(*[append(n, "x" * 1_000) for n in range(1_000)], at_once=500)
        held = ada.retained.payloads()
        await lasting.again(way)
        await gone(ada)
        people = [room.client() for _ in range(200)]
        answers = [lasting.get(room.path) for _ in range(20)]
        joins = [person.join(name=f"P{n}") for n, person in enumerate(people)]
        *_, statuses = await asyncio.gather(*joins, asyncio.gather(*answers))
        assert {answer.status for answer in statuses} == {200}
        assert all(person.retained.payloads() == held for person in people)
        assert len({person.number for person in people}) == 200
        people[0].send(note("to all"))
        for person in people:
            await person.got(b"to all")


@pytest.mark.parametrize("copied", ["stopped", "running"])
async def test_a_client_ahead_of_a_restored_backup_can_resume(
    lasting: LastingGateway, copied: str
) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(*[append(n, f"before {n}") for n in range(10)])
        await ada.committed()
        backup = lasting.folder / "backup"
        if copied == "stopped":
            await asyncio.to_thread(lasting.stop)
            await asyncio.to_thread(shutil.copytree, lasting.data, backup, ignore=shutil.ignore_patterns("commands"))
            lasting.start()
            await ada.join()
            await ben.join()
        else:
            await asyncio.to_thread(shutil.copytree, lasting.data, backup, ignore=shutil.ignore_patterns("commands"))
        ada.send(*[append(n, f"between {n}") for n in range(10, 20)])
        await ada.committed()
        epoch = ada.epoch
        await asyncio.to_thread(lasting.stop)
        await gone(ada, ben)
        shutil.rmtree(lasting.data)
        shutil.copytree(backup, lasting.data)
        logged = len(lasting.log)
        lasting.start()
        await ben.join()
        assert ben.retained.payloads() == {key(n): [f"before {n}".encode()] for n in range(10)}
        ada.send(append(20, "after"))
        await ada.join()
        assert ada.joined["resumed"] is True and ada.joined["acknowledged"] == 20
        assert ada.epoch != epoch and ada.catch_ups[-1] == "snapshot"
        assert (await ben.got(b"after"))[0].client_sequence == 21
        await ada.committed()
        await until(lambda: "client is ahead" in lasting.log[logged:], "the log says that the client is ahead")
        # An entry that counts as acknowledged stays acknowledged.
        await lasting.again("crash")
        await gone(ada, ben)
        twin = room.client()
        twin.token = ada.token
        await twin.join()
        assert twin.joined["acknowledged"] == 21


async def test_committed_entries_survive_two_crashes_without_a_client_between(
    lasting: LastingGateway,
) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(*[append(n, f"{n}") for n in range(100)])
        await ada.committed()
        epochs = [ada.epoch]
        for way in ("crash", "crash", "stop", "crash", "stop", "stop"):
            await lasting.again(way)
        await gone(ada)
        await ada.join()
        assert ada.epoch not in epochs and len(ada.retained.keys) == 100
        epochs.append(ada.epoch)
        for way in ("stop", "stop"):
            await lasting.again(way)
        await gone(ada)
        await ada.join()
        assert ada.epoch == epochs[-1] and ada.catch_ups[-1] == "tail"


async def test_joiners_get_committed_and_it_never_decreases(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(*[note(f"{n}") for n in range(50)])
        await ada.committed()
        assert ada.joined["committed"] <= ada.joined["sequence"]
        committed = ada.outbox.committed
        await lasting.again("stop")
        await gone(ada)
        await ada.join()
        assert committed <= ada.joined["committed"] <= ada.joined["sequence"]
        told = [content["sequence"] for content in ada.all_controls("committed")]
        assert told == sorted(told)


async def test_clients_reconnect_at_different_times_after_1012(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        people = [await room.join(f"P{n}") for n in range(60)]
        people[0].send(*[append(n, f"{n}") for n in range(500)])
        await people[1].got(b"499")
        await lasting.again("stop")
        told = []
        for person in people:
            code, reason = await person.closed()
            assert code == 1012, (code, reason)
            told.append(reason["retryAfterMs"])
        assert len(set(told)) > 20 and max(told) <= 10_000, sorted(told)
        await people[0].join()
        await people[0].committed()
        late = await room.join("Late")
        assert len(late.retained.keys) == 500


async def test_a_second_gateway_on_the_folder_changes_nothing(lasting_with, lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        with pytest.raises(AssertionError, match=str(lasting.process.pid)):
            lasting_with("--data", str(lasting.data))
        ada.send(append(2, "y"))
        await ada.committed()
        await lasting.again("stop")
        await gone(ada)
        await ada.join()
        assert ada.catch_ups[-1] == "tail" and len(ada.retained.keys) == 2


async def test_loading_sessions_logs_no_complete_id_or_token(lasting_with) -> None:
    lasting: LastingGateway = lasting_with("--log-level", "debug")
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "a secret"))
        await ada.committed()
        for way in ("crash", "stop"):
            await lasting.again(way)
            await gone(ada)
            await ada.join()
        lasting.kill()
        stored = b"".join(path.read_bytes() for path in lasting.data.rglob("*") if path.is_file())
        assert (ada.token or "").encode() not in stored, "the token itself is on disk"
        for secret in (room.id, ada.token, "a secret", "Ada"):
            assert secret and secret not in lasting.log


async def test_system_entries_continue_over_a_clean_stop(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ben.cut()
        await ada.say(profile={"name": "Countess"})
        cleo = await room.join("Cleo")
        await ada.wait_for(lambda: cleo.id in ada.retained.people, "Cleo is there")
        await lasting.again("stop")
        await gone(ada, cleo)
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        await ada.join()
        await cleo.join()
        await until(lambda: ben.last == ada.last == cleo.last, "all see the same")
        assert ben.retained.people == ada.retained.people == cleo.retained.people
        assert ben.retained.people[ada.id]["name"] == "Countess"
        assert all(entry.flags & SYSTEM for entry in ben.received if entry.type == "participants")


async def test_a_leave_survives_a_crash(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ben = await room.join("Ben")
        for _ in range(5):
            ada = await room.join("Ada")
            token = ada.token
            await ada.say(leave={})
            assert (await ada.closed())[0] == 1000
            await lasting.again("crash")
            await gone(ben)
            await ben.join()
            again = room.client()
            again.token = token
            await again.join()
            assert again.joined["resumed"] is False, "it was told that it left"


async def test_a_clean_stop_keeps_the_epoch_when_grace_times_end_meanwhile(
    lasting_with: Callable[..., LastingGateway],
) -> None:
    lasting = lasting_with(graceSeconds=1)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "a"))
        await ada.committed()
        epoch = ada.epoch
        for _ in range(3):
            others = [await room.join() for _ in range(40)]
            loop = asyncio.get_running_loop()
            begin = loop.time()
            for other in others:
                await other.cut()
            took = loop.time() - begin
            # The first participant is removed about now, and the last one a little later.
            await until(lambda: loop.time() > begin + 1 + took / 4, "the grace times begin to end", every=0.001)
            await lasting.again("stop")
            await gone(ada)
            await ada.join()
            assert (ada.epoch, ada.catch_ups[-1]) == (epoch, "tail")
