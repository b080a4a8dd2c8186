"""Drawing continues in memory while the disk is full or fails. Participants get a notice, unsaved bytes are
limited, and everything is saved in the end."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attachments import Journal, content, sha256
from client import Client
from lasting import LastingGateway
from polling import until
from room import Room, append, key, note, remove, replace
from smalldisk import SmallDisk, mounted
from test_restarts import gone
from tus import Upload
from wire import Outgoing

UNSAVED = 400_000
"""The limit on unsaved bytes of a session."""
KINDS = ["full disk", "file limit"]


@pytest.fixture(params=KINDS)
def disk(request: pytest.FixtureRequest, lasting_with, tmp_path: Path) -> Iterator[SmallDisk]:
    """Gives a disk, which tests fill and empty, with its gateway."""
    data = tmp_path / "small" / "data"
    data.mkdir(parents=True)
    if request.param == "file limit":
        small = SmallDisk(data, is_mounted=False)
        small.gateway = _gateway(lasting_with, data.parent)
        yield small
        small.empty()
        return
    with mounted(data) as is_mounted:
        small = SmallDisk(data, is_mounted)
        small.gateway = _gateway(lasting_with, data.parent)
        yield small
        small.empty()
        small.gateway.kill()


def _gateway(lasting_with, folder: Path) -> LastingGateway:
    return lasting_with(
        "--disk-reserve-bytes", "0", folder=folder, unsavedSessionBytes=UNSAVED, unsavedBytes=4 * UNSAVED,
        entriesPerSecond=100_000, bytesPerSecond=1 << 30,
    )  # fmt: skip


def much(text: str, first: int = 0) -> list[Outgoing]:
    """Returns forty entries with consecutive keys, each larger than the rest of a full disk."""
    return [append(n, f"{text} {n}" + "." * 1_000) for n in range(first, first + 40)]


def last_of(entries: list[Outgoing]) -> bytes:
    return entries[-1].payload


def codes(person: Client) -> list[str]:
    """Returns the codes of the live notices."""
    return [json.loads(e.payload)["code"] for e in person.received if e.is_system and e.type == "notice"]


async def notice(person: Client, code: str, count: int = 1) -> dict[str, object]:
    await person.wait_for(lambda: codes(person).count(code) >= count, f"{count} notices {code}")
    return await person.system("notice", lambda told: told["code"] == code)


async def takes_new_data(gateway: LastingGateway) -> bool:
    return await gateway.metric("drawtogether_storage_refusing") == 0


async def refuses_new_data(gateway: LastingGateway) -> bool:
    return not await takes_new_data(gateway)


async def test_drawing_continues_in_memory_and_is_saved_when_there_is_room(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1_000, "before"))
        await ada.committed()
        disk.fill()
        committed, meanwhile = ada.outbox.committed, much("meanwhile")
        ada.send(*meanwhile)
        await ben.got(last_of(meanwhile))
        told = await notice(ben, "storage-full")
        assert len(str(told["detail"])) > 20
        await until(lambda: refuses_new_data(gateway), "the metrics say so")
        assert (await gateway.get("/readyz")).status == 200
        assert (await gateway.get("/healthz")).status == 200
        for n in range(100, 110):
            ben.send(append(n, f"and on {n}"))
            await ada.got(f"and on {n}".encode())
        assert len(ada.outbox) > 0, "it was told as committed though it was not on disk"
        late = await room.join("Late")
        assert len(late.retained.keys) == 51
        assert late.joined["committed"] < late.joined["sequence"]
        assert ada.outbox.committed >= committed
        disk.empty()
        await notice(ben, "saved")
        await ada.committed()
        await ben.committed()
        await until(lambda: takes_new_data(gateway), "the metrics say so")
        assert codes(ben) == ["storage-full", "saved"]
        held = ada.retained.payloads()
        await gateway.again("crash")
        await gone(ada, ben, late)
        await ada.join()
        assert ada.retained.payloads() == held and len(held) == 51


async def test_new_sessions_and_uploads_are_refused_while_the_disk_is_full(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        kept = await journal.add(content(10_000))
        ada.send(append(1, "x"))
        await ada.committed()
        disk.fill()
        ada.send(*much("y"))
        await notice(ada, "storage-full")
        await until(lambda: refuses_new_data(gateway), "the metrics say so")
        folders = {path.name for path in (gateway.data / "sessions").iterdir()}
        for _ in range(3):
            (await gateway.post("/api/sessions")).problem(507, "storage-full")
        follows = await gateway.post("/api/sessions", {"follows": room.id}, Participant_Token=ada.token or "")
        follows.problem(507, "storage-full")
        (await journal.post(content(50_000))).problem(507, "storage-full")
        (await Upload.creation(journal, 1_000)).problem(507, "storage-full")
        (await Upload.creation(journal, 1_000, content(1_000))).problem(507, "storage-full")
        assert (await journal.read(kept["id"])).body == content(10_000)
        assert await journal.list() == [kept]
        assert {path.name for path in (gateway.data / "sessions").iterdir()} == folders, "it leaves nothing"
        disk.empty()
        await notice(ada, "saved")
        await until(lambda: takes_new_data(gateway), "the metrics say so")
        assert (await gateway.post("/api/sessions")).status == 201
        added = await journal.add(content(50_000))
        assert added["sha256"] == sha256(content(50_000))
        assert not [entry for entry in ada.received if entry.type == "newSession"]


async def test_unsaved_bytes_of_a_session_are_limited_except_for_removals(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(*[append(n, f"{n}/" + "x" * 1_000) for n in range(100)])
        await ada.committed()
        disk.fill()
        ada.send(*[append(n, f"{n}/" + "x" * 1_000) for n in range(100, 1_000)])
        error = await ada.error()
        assert error["code"] == "storage-full" and error["retryAfterMs"] > 0, error
        assert len(error["detail"]) > 20
        newest = error["clientSequence"]
        assert 0.5 * UNSAVED < (newest - 100) * 1_050 < 2 * UNSAVED, newest
        ben.send(*[remove(n) for n in range(50)])
        removed = {key(n) for n in range(50)}
        await ada.wait_for(lambda: removed.isdisjoint(ada.retained.keys), "removing passes")
        assert not ben.errors
        cleo = await room.join("Cleo")
        assert removed.isdisjoint(cleo.retained.keys) and len(cleo.retained.keys) >= newest - 51
        await cleo.say(leave={})
        assert (await cleo.closed())[0] == 1000
        disk.empty()
        await ada.committed()
        await ben.committed()
        expected = {key(n): [f"{n}/".encode() + b"x" * 1_000] for n in range(50, 1_000)}
        await ben.wait_for(lambda: ben.retained.payloads() == expected, "all of it is there once")
        await gateway.again("crash")
        await gone(ada, ben)
        await ben.join()
        assert ben.retained.payloads() == expected
        await ada.join()
        assert ada.joined["acknowledged"] == 1_000


async def test_unsaved_bytes_of_all_sessions_are_limited(lasting_with, tmp_path: Path) -> None:
    data = tmp_path / "small" / "data"
    with mounted(data) as is_mounted:
        disk = SmallDisk(data, is_mounted)
        disk.gateway = gateway = lasting_with(
            "--disk-reserve-bytes", "0", folder=data.parent, unsavedBytes=UNSAVED, entriesPerSecond=100_000
        )
        rooms = [Room(gateway) for _ in range(4)]
        people = []
        for room in rooms:
            await room.__aenter__()
            people.append(await room.join("Ada"))
        disk.fill()
        accepted = await asyncio.gather(*[_draw_until_refused(person) for person in people])
        assert sum(accepted) * 1_000 < 20 * UNSAVED, accepted
        disk.empty()
        for room, person in zip(rooms, people, strict=True):
            await person.committed()
            late = await room.join("Late")
            assert late.retained.payloads() == person.retained.payloads()
            assert set(late.retained.keys) == {key(n) for n in range(len(late.retained.keys))}
        for room in rooms:
            await room.__aexit__()
        gateway.kill()


async def _draw_until_refused(person: Client) -> int:
    """Sends entries, each after the one before has returned, until one is refused. Returns the number of accepted
    ones."""
    drawn = 0
    while not person.errors:
        entries = much("meanwhile", first=drawn)
        drawn += len(entries)
        person.send(*entries)
        await person.wait_for(
            lambda entries=entries: person.errors or entries[-1].key in person.retained.keys, "it comes back"
        )
    assert person.errors[0]["code"] == "storage-full", person.errors
    return person.errors[0]["clientSequence"] - 1


async def test_a_crash_with_a_full_disk_keeps_committed_entries(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        sent = much("before")
        ada.send(*sent)
        await ada.committed()
        await ben.got(last_of(sent))
        for round_ in range(3):
            disk.fill()
            meanwhile = much(f"round {round_}", first=100 * (round_ + 1))
            sent += meanwhile
            ada.send(*meanwhile)
            await ben.got(last_of(meanwhile))
            await notice(ben, "storage-full", round_ + 1)
            await asyncio.to_thread(gateway.kill)
            await gone(ada, ben)
            disk.empty()
            gateway.start()
            await ben.join()
            assert {key(n) for n in range(40)} <= ben.retained.keys.keys()
            await ada.join()
            await ada.committed()
            expected = {entry.key: [entry.payload] for entry in sent}
            await ben.wait_for(
                lambda expected=expected: ben.retained.payloads() == expected, "each is there once"
            )


async def test_a_stop_with_a_full_disk_is_in_time_and_keeps_committed_entries(
    disk: SmallDisk,
) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1_000, "before"))
        await ada.committed()
        disk.fill()
        meanwhile = much("meanwhile")
        ada.send(*meanwhile)
        await ben.got(last_of(meanwhile))
        await notice(ben, "storage-full")
        began = time.monotonic()
        await asyncio.to_thread(gateway.terminate, 9)
        assert time.monotonic() - began < 8.5
        await gone(ada, ben)
        disk.empty()
        gateway.start()
        await ada.join()
        await ada.committed()
        await ben.join()
        expected = {key(1_000): [b"before"]} | {entry.key: [entry.payload] for entry in meanwhile}
        assert ben.retained.payloads() == expected


async def test_an_end_that_cannot_be_stored_is_not_confirmed(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1, "x"))
        await ada.committed()
        disk.fill()
        ada.send(*much("y"))
        await notice(ben, "storage-full")
        token = {"Participant-Token": ada.token or ""}
        response = await gateway.request("DELETE", room.path, token)
        was_told = response.status == 204
        if not was_told:
            response.problem(response.status, "storage-full")
            assert response.status in (503, 507)
        await asyncio.to_thread(gateway.kill)
        disk.empty()
        gateway.start()
        assert (await gateway.get(room.path)).status == (410 if was_told else 200)


async def test_uploads_and_sessions_both_recover_from_a_full_disk(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        data = content(400_000)
        upload = await Upload.create(journal, len(data), data[:100_000])
        ada.send(append(1, "x"))
        await ada.committed()
        disk.fill()
        ada.send(*much("y"))
        await notice(ada, "storage-full")
        refused = await upload.patch(data[100_000:], await upload.offset())
        refused.problem(507, "storage-full")
        disk.empty()
        await ada.committed()
        offset = await upload.offset()
        await upload.send(data[offset:], offset)
        assert (await journal.read(upload.id)).body == data
        await ada.wait_for(lambda: ada.retained.attachments[upload.id]["state"] == "ready", "it is told")
        ada.send(note("after that"))
        await ada.committed()
        await gateway.again("crash")
        assert (await journal.read(upload.id)).body == data


async def test_repeated_disk_failures_are_reported_each_time_and_lose_nothing(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        for round_ in range(4):
            disk.fill()
            ada.send(*[replace(n, f"{round_}/{n}" + "." * 1_000) for n in range(40)])
            await notice(ben, "storage-full", round_ + 1)
            disk.empty()
            await notice(ben, "saved", round_ + 1)
            await ada.committed()
        assert codes(ben) == ["storage-full", "saved"] * 4
        late = await room.join("Late")
        assert not [entry for entry in late.snapshots[0] if entry.type == "notice" and entry.sequence]
        await gateway.again("crash")
        await gone(ada, ben, late)
        await ben.join()
        assert ben.retained.payloads() == {key(n): [f"3/{n}".encode() + b"." * 1_000] for n in range(40)}


async def test_an_unloaded_session_can_be_joined_with_a_full_disk(disk: SmallDisk) -> None:
    gateway = disk.gateway
    async with Room(gateway) as room, Room(gateway) as other:
        ada, ben = await room.join("Ada"), await other.join("Ben")
        ada.send(append(1, "x"))
        ben.send(append(1, "y"))
        await ada.committed()
        await ben.committed()
        await gateway.again("stop")
        await gone(ada, ben)
        await ben.join()
        disk.fill()
        ben.send(*much("z"))
        await notice(ben, "storage-full")
        assert (await gateway.get("/readyz")).status == 200
        assert (await gateway.get(room.path)).status == 200
        await ada.join()
        assert ada.retained.payloads() == {key(1): [b"x"]}
        disk.empty()
        await notice(ben, "saved")
        await ada.cut()
        await ada.join()
        assert ada.retained.payloads() == {key(1): [b"x"]}


async def test_below_the_disk_reserve_only_existing_sessions_are_saved(
    lasting_with, tmp_path: Path
) -> None:
    data, reserve = tmp_path / "small" / "data", 8 << 20
    with mounted(data) as is_mounted:
        if not is_mounted:
            # No test can fill a whole disk. Instead the gateway has to keep more bytes free than the disk has.
            reserve = shutil.disk_usage(tmp_path).total - 1
        gateway: LastingGateway = lasting_with("--disk-reserve-bytes", "0", folder=data.parent)
        gateway.arguments[gateway.arguments.index("--disk-reserve-bytes") + 1] = str(reserve)
        async with Room(gateway) as room:
            ada = await room.join("Ada")
            journal = Journal(gateway, room.id)
            photo = await journal.add(content(200_000))
            await gateway.again("stop")
            await gone(ada)
            if is_mounted:
                assert await takes_new_data(gateway)
                (data / "filler").write_bytes(bytes(18 << 20))
            await until(lambda: refuses_new_data(gateway), "the metrics say so, though nobody asked for anything")
            assert (await gateway.get("/readyz")).status == 200
            refusal = (await gateway.post("/api/sessions")).problem(507, "storage-full")
            assert "have to stay free" in refusal["detail"], refusal
            assert refusal["limit"] == reserve and refusal["actual"] < reserve, refusal
            (await journal.post(content(300_000))).problem(507, "storage-full")
            assert (await journal.read(photo["id"])).status == 200
            await ada.join()
            ada.send(*much("saved all the same"))
            await ada.committed()
            assert not codes(ada)
            if not is_mounted:
                return
            (data / "filler").unlink()
            await until(lambda: takes_new_data(gateway), "the metrics say so")
            assert (await gateway.post("/api/sessions")).status == 201
            await journal.add(content(300_000))
            gateway.kill()


async def test_a_file_size_limit_on_all_files_ends_no_session(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        _, most = resource.prlimit(lasting.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(lasting.process.pid, resource.RLIMIT_FSIZE, (1, most))
        ada.send(append(1, "x"))
        await notice(ada, "storage-full")
        ben = await room.join("Ben")
        assert ben.retained.payloads() == {key(1): [b"x"]}
        (await lasting.post("/api/sessions")).problem(507, "storage-full")
        resource.prlimit(lasting.process.pid, resource.RLIMIT_FSIZE, (most, most))
        await ada.committed()
        assert lasting.is_running
