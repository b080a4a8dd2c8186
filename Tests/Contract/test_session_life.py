"""Section 5: the lifetimes of sessions, also over restarts, and their limits."""

from __future__ import annotations

import json
import os

import pytest

from attachments import Journal, content
from client import Client
from gateway import brief_seconds
from lasting import LastingGateway
from polling import until
from room import Room, append, note, remove
from test_restarts import WAYS, gone

PATIENCE = 40.0


async def leave(*people: Client) -> None:
    for person in people:
        await person.say(leave={})
        await person.closed()


async def is_unknown(gateway: LastingGateway, path: str) -> bool:
    return (await gateway.get(path)).status in (404, 410)


@WAYS
async def test_an_abandoned_session_is_removed(
    lasting_with, way: str
) -> None:
    # Ada must join the new session within this time.
    lasting: LastingGateway = lasting_with(sessionKeepSeconds=brief_seconds(), graceSeconds=1, removalDelaySeconds=0)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        await Journal(lasting, room.id).add(content(1_000))
        await leave(ada)
        await lasting.again(way)
        folder = lasting.folder_of(room.id)
        await until(lambda: not folder.exists(), "its folder is gone", timeout=PATIENCE)
        assert await is_unknown(lasting, room.path)
        late = await room.connect()
        assert (await late.closed())[0] in (4004, 4010)


@WAYS
async def test_a_session_whose_participants_never_resume_is_removed(lasting_with, way: str) -> None:
    # Ada must join the new session within this time.
    lasting: LastingGateway = lasting_with(sessionKeepSeconds=brief_seconds(), graceSeconds=1, removalDelaySeconds=0)
    async with Room(lasting) as room, Room(lasting) as never_joined:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        await lasting.again(way)
        for session in (room.id, never_joined.id):
            folder = lasting.folder_of(session)
            await until(lambda folder=folder: not folder.exists(), "its folder is gone", timeout=PATIENCE)
        assert await is_unknown(lasting, room.path)


@WAYS
async def test_a_session_with_a_participant_is_kept_while_others_are_removed(lasting_with, way: str) -> None:
    # Longer than the gateway is stopped: a stopped gateway has no participants either.
    lasting: LastingGateway = lasting_with(sessionKeepSeconds=2 * brief_seconds(), removalDelaySeconds=0)
    async with Room(lasting) as room, Room(lasting) as left:
        ada, ben = await room.join("Ada"), await left.join("Ben")
        ada.send(append(1, "x"))
        ben.send(append(1, "y"))
        await ada.committed()
        await ben.committed()
        await leave(ben)
        await lasting.again(way)
        await gone(ada)
        await ada.join()
        await until(lambda: not lasting.folder_of(left.id).exists(), "the other is gone", timeout=PATIENCE)
        assert ada.close is None and ada.retained.keys
        ada.send(append(2, "z"))
        await ada.committed()


async def test_a_session_without_retained_entries_is_kept_for_ten_minutes(
    lasting_with,
) -> None:
    lasting: LastingGateway = lasting_with("--reactors", "1", removalDelaySeconds=0)
    async with Room(lasting) as kept, Room(lasting) as passing, Room(lasting) as young, Room(lasting) as last:
        for room, entry in ((kept, append(1, "x")), (passing, note("x")), (young, note("x"))):
            person = await room.join("Ada")
            person.send(entry)
            await person.committed()
            await leave(person)
        witness = await last.join("Ada")
        witness.send(note("after they have left"))
        await witness.committed()
        lasting.kill()
        for room, minutes in ((kept, 11), (passing, 11), (young, 5)):
            log = lasting.folder_of(room.id) / "log"
            then = log.stat().st_mtime - 60 * minutes
            os.utime(log, (then, then))
        lasting.start()
        folder = lasting.folder_of(passing.id)
        await until(lambda: not folder.exists(), "it is given up", timeout=PATIENCE)
        assert await is_unknown(lasting, passing.path)
        assert (await lasting.get(kept.path)).status == 200
        assert (await lasting.get(young.path)).status == 200


async def test_a_start_with_the_clock_400_days_ahead_removes_nothing(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(sessionIdleSeconds=0)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        await leave(ada)
        lasting.kill()
        log = lasting.folder_of(room.id) / "log"
        # A wrong clock and an old file look the same to the gateway.
        then = log.stat().st_mtime - 400 * 86_400
        os.utime(log, (then, then))
        lasting.start()

        async def has_looked() -> bool:
            return "drawtogether_kept_sessions" in await lasting.metrics()

        await until(has_looked, "the data folder is looked at")
        assert (await lasting.get(room.path)).status == 200
        assert log.exists()


@WAYS
async def test_an_ended_session_expires_after_a_restart(lasting_with, way: str) -> None:
    lasting: LastingGateway = lasting_with(endedKeepSeconds=2, removalDelaySeconds=0)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "x"))
        await ada.committed()
        journal = Journal(lasting, room.id)
        attachment = await journal.add(content(1_000))
        await ada.say(end={})
        assert (await ada.closed())[0] == 4010
        await lasting.again(way)
        folder = lasting.folder_of(room.id)
        await until(lambda: not folder.exists(), "its folder is gone", timeout=PATIENCE)
        assert await is_unknown(lasting, room.path)
        assert (await journal.read(attachment["id"])).status in (404, 410)


async def test_sessions_are_counted_over_a_restart_and_ended_ones_are_not(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(sessions=3)
    rooms = [await lasting.create_session() for _ in range(3)]
    async with Client(lasting.socket_url(rooms[0])) as ada:
        await ada.join()
        ada.send(note("Ada is known"))
        await ada.committed()
        for way in ("crash", "stop"):
            await lasting.again(way)
            refused = await lasting.post("/api/sessions")
            assert refused.problem(refused.status, "too-many")["limit"] == 3
        token = {"Participant-Token": ada.token or ""}
        assert (await lasting.request("DELETE", f"/api/sessions/{rooms[0]}", token)).status == 204
        assert (await lasting.post("/api/sessions")).status == 201


async def test_nearly_full_is_announced_once_and_a_full_session_accepts_removals(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(sessionLogBytes=200_000)
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(*[append(n, "x" * 1_000) for n in range(170)])
        told = await ben.system("notice", lambda notice: notice["code"] == "session-quota")
        assert len(told["detail"]) > 10 and any(isinstance(value, int) for value in told.values()), told
        ada.send(*[append(n, "x" * 1_000) for n in range(170, 230)])
        error = await ada.error()
        assert error["code"] == "session-quota"
        ben.send(*[remove(n) for n in range(100)])
        await ben.committed()
        await ada.committed()
        late = await room.join("Late")
        assert set(late.retained.keys) == set(ada.retained.keys) and len(late.retained.keys) == 130
        notices = [e for e in ben.received if e.type == "notice" and b"session-quota" in e.payload]
        assert 1 <= len(notices) <= 2


async def test_a_nearly_full_journal_is_announced_once(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(sessionAttachmentBytes=100_000)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        journal = Journal(lasting, room.id)
        for seed in range(7):
            await journal.add(content(10_000, seed))
        ada.send(note("not yet"))
        await ada.got(b"not yet")
        assert not [entry for entry in ada.received if entry.type == "notice"]
        await journal.add(content(10_000, seed=7))
        await journal.add(content(10_000, seed=8))
        await ada.system("notice", lambda notice: notice["code"] == "session-quota")
        ada.send(note("and now"))
        await ada.got(b"and now")
        notices = [json.loads(entry.payload) for entry in ada.received if entry.type == "notice"]
        assert [notice["code"] for notice in notices] == ["session-quota"]


@WAYS
async def test_retained_bytes_count_after_a_restart(lasting_with, way: str) -> None:
    lasting: LastingGateway = lasting_with(sessionLogBytes=200_000)
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(*[append(n, "x" * 1_000) for n in range(150)])
        await ada.committed()
        await lasting.again(way)
        await gone(ada)
        await ada.join()
        ada.send(*[append(n, "x" * 1_000) for n in range(150, 230)])
        assert (await ada.error())["code"] == "session-quota"
        late = await room.join("Late")
        assert len(late.retained.keys) < 200


@pytest.mark.seconds(120)
async def test_endless_replaces_keep_the_folder_small(lasting_with) -> None:
    lasting: LastingGateway = lasting_with(
        entriesPerSecond=1_000_000, bytesPerSecond=1 << 30, catchUpTailBytes=64 << 10
    )
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        log = lasting.folder_of(room.id) / "log"
        for round_ in range(30):
            ada.send(*[append(n % 50, f"{round_}/{n}" + "x" * 1_000) for n in range(500)])
            ada.send(*[remove(n) for n in range(50)])
            await ada.committed()
        ada.send(append(1, "what is left"))
        await ada.committed()
        await until(lambda: log.stat().st_size < 3 << 20, "the log is compacted", timeout=PATIENCE)
        for way in ("crash", "stop"):
            await lasting.again(way)
            await gone(ada, ben)
            await ada.join()
            assert ada.retained.payloads() == {(1).to_bytes(16, "big"): [b"what is left"]}
            assert ada.joined["acknowledged"] == 30 * 550 + 1
