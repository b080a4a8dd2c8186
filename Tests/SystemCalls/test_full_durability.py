"""With `--durability full` everything is on the disk, names included, before it is announced."""

from __future__ import annotations

import asyncio
import re
import uuid

from attachments import Journal, content
from calls import renamed, sent, synced, written
from room import Room, append, replace
from tus import Upload

FILE = r"[0-9A-F-]{36}"


def committed(sequence: int | str = r"\d+") -> str:
    return sent(rf'\{{\\"committed\\":\{{\\"sequence\\":{sequence}\D')


def note() -> str:
    """Returns an entry with a unique payload."""
    return uuid.uuid4().hex


async def test_a_session_is_on_the_disk_before_201(traced) -> None:
    gateway = traced()
    start = gateway.trace.now
    id = re.escape(await gateway.create_session())
    await gateway.trace.in_order(
        written(f"sessions.new/{id}/log"),
        synced(f"sessions.new/{id}/log"),
        synced(f"sessions.new/{id}", "fsync"),
        renamed("sessions.new", id, "sessions", id),
        synced("sessions", "fsync"),
        sent(rf"HTTP/1.1 201 .*{id}"),
        after=start,
    )


async def test_an_entry_is_on_the_disk_before_committed(traced) -> None:
    gateway = traced()
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression=None)
        log = f"sessions/{re.escape(room.id)}/log"
        for _ in range(5):
            start, text = gateway.trace.now, note()
            ada.send(append(1, text))
            await ada.committed()
            await gateway.trace.in_order(written(log, text), synced(log), committed(ada.last), after=start)


async def test_entries_of_several_sessions_are_on_the_disk_before_committed(traced) -> None:
    gateway = traced()
    async with Room(gateway) as room, Room(gateway) as other:
        people = [await each.join("Ada", compression=None) for each in (room, other)]
        logs = [f"sessions/{re.escape(each.id)}/log" for each in (room, other)]
        for _ in range(20):
            start, text = gateway.trace.now, note()
            for person in people:
                person.send(append(1, text))
            await asyncio.gather(*(person.committed() for person in people))
            await gateway.trace.wait(committed(people[1].last), start)
            if gateway.trace.find(r"^syncfs\(", start):
                break
        for person, log in zip(people, logs, strict=True):
            await gateway.trace.in_order(
                written(log, text), r"^syncfs\(\d+<[^>]*/data>\)", committed(person.last), after=start
            )


async def test_an_attachment_is_on_the_disk_before_201(traced) -> None:
    gateway = traced()
    journal = await Journal.open(gateway)
    session, data = re.escape(journal.session), content(200_000)
    log, start = f"sessions/{session}/log", gateway.trace.now
    digest = (await journal.add(data))["sha256"]
    await gateway.trace.in_order(
        written(f"uploads/{FILE}"),
        synced(f"uploads/{FILE}"),
        written(log, digest),
        synced(log),
        renamed("uploads", FILE, "attachments", digest),
        synced(f"{session}/attachments", "fsync"),
        synced(f"{session}/uploads", "fsync"),
        synced(f"sessions/{session}", "fsync"),
        synced("sessions", "fsync"),
        written(log, r"\\\"state\\\":\\\"ready"),
        synced(log),
        sent(r"HTTP/1.1 201 .*ready"),
        after=start,
    )


async def test_received_bytes_are_on_the_disk_before_the_offset_is_sent(traced) -> None:
    gateway = traced()
    journal = await Journal.open(gateway)
    session, data = re.escape(journal.session), content(90_000)
    log, start = f"sessions/{session}/log", gateway.trace.now
    upload = await Upload.create(journal, len(data))
    # The tracer may write the call with the response only now.
    answered = sent("HTTP/1.1 201 .*/attachments/")
    await gateway.trace.in_order(written(log, upload.id), synced(log), answered, after=start)
    names = [synced(f"{session}/uploads", "fsync"), synced(f"sessions/{session}", "fsync")]
    for first in (0, 30_000):
        start = gateway.trace.now
        await upload.send(data[first : first + 30_000], first)
        await gateway.trace.in_order(
            written(f"uploads/{FILE}"), synced(f"uploads/{FILE}"), *names,
            sent(rf"HTTP/1.1 204 .*Upload-Offset: {first + 30_000}\D"), after=start,
        )  # fmt: skip
        # The name is synced once.
        names = []
    # After a crash it is unknown which bytes the disk has.
    await gateway.again("crash")
    start = gateway.trace.now
    assert await upload.offset() == 60_000
    await gateway.trace.in_order(
        synced(f"uploads/{FILE}"), synced(f"{session}/uploads", "fsync"), synced(f"sessions/{session}", "fsync"),
        sent(r"HTTP/1.1 200 .*Upload-Offset: 60000\D"), after=start,
    )  # fmt: skip


async def test_a_compacted_log_is_on_the_disk_before_it_replaces_the_old_one(traced) -> None:
    gateway = traced(catchUpTailBytes=4096)
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression=None)
        own = f"sessions/{re.escape(room.id)}"
        name = renamed(own, "log.new", own, "log")
        for n in range(200):
            ada.send(*(replace(key, f"{n}" + 30_000 * "x") for key in range(8)))
            await ada.committed()
            gateway.trace.read()
            if gateway.trace.find(name):
                break
        # Later records in the file are announced only when the new name is on the disk.
        ada.send(append(99, "behind it"))
        await ada.committed()
        await gateway.trace.in_order(
            written(f"{own}/log.new"), synced(f"{own}/log.new"), name, synced(f"{own}/log"),
            synced(own, "fsync"), committed(ada.last),
        )  # fmt: skip
        calls = gateway.trace.calls
        end = calls.index(gateway.trace.find(name))
        new = [call.text for call in calls[:end] if re.search(r"\w+\(\d+<[^>]*/log\.new>", call.text)]
        assert new[-1].startswith("fdatasync"), "something was written behind the last sync"


async def test_the_removal_of_an_attachment_is_on_the_disk_before_its_file_is_removed(traced) -> None:
    gateway = traced()
    journal = await Journal.open(gateway)
    log = f"sessions/{re.escape(journal.session)}/log"
    attachment = await journal.add(content(1000))
    start = gateway.trace.now
    assert (await journal.remove(attachment["id"])).status == 204
    await gateway.trace.in_order(
        written(log), synced(log), rf'^unlinkat\(.*"{attachment["sha256"]}"', sent("HTTP/1.1 204 "),
        after=start,
    )  # fmt: skip


async def test_the_end_of_a_session_is_on_the_disk_before_it_is_announced(traced) -> None:
    gateway = traced()
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression=None)
        start = gateway.trace.now
        log = f"sessions/{re.escape(room.id)}/log"
        token = {"Participant-Token": ada.token or ""}
        assert (await gateway.request("DELETE", room.path, token)).status == 204
        await ada.closed()
        await gateway.trace.in_order(written(log), synced(log), sent(r"\\\"ended\\\""), after=start)
        await gateway.trace.in_order(written(log), synced(log), sent("HTTP/1.1 204 "), after=start)


async def test_the_mark_of_a_clean_stop_is_written_last_and_removed_at_the_start(traced) -> None:
    gateway = traced()
    async with Room(gateway) as room:
        ada = await room.join("Ada", compression=None)
        ada.send(append(1, "kept"))
        await ada.committed()
        start = gateway.trace.now
        await gateway.again("stop")
        await gateway.trace.in_order(
            written(f"sessions/{re.escape(room.id)}/log"), r"^syncfs\(\d+<[^>]*/data>\)",
            written("clean.new"), synced("clean.new"), renamed("data", "clean.new", "data", "clean"),
            synced("data", "fsync"), r'^unlinkat\(.*"clean"', synced("data", "fsync"),
            r"\\\"event\\\":\\\"ready",
            after=start,
        )  # fmt: skip
