"""Damaged, newer, read-only and full data folders: a clear message, and never a silent start without the sessions."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest
import websockets

from attachments import Journal, content
from client import Client
from command import run
from gateway import REPOSITORY
from lasting import LastingGateway
from logs import events, logged
from polling import until
from room import Room, append, key
from smalldisk import SmallDisk, mounted, read_only
from test_restarts import WAYS, gone

NEVER = (404, 410)
"""The statuses that a session must not get if it exists and cannot be opened."""


def start(executable: str, data: Path) -> subprocess.CompletedProcess[str]:
    """Starts a gateway that must fail to start."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
    command = [executable, "--http", "127.0.0.1:0", "--https", "off", "--data", str(data)]
    command += ["--public", str(REPOSITORY / "Public")]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment)


def refusal(done: subprocess.CompletedProcess[str], data: Path) -> str:
    """Checks that the error names the folder, and returns it."""
    said = done.stderr + done.stdout
    assert done.returncode not in (0, -6, -11), done
    assert str(data) in said and len(said.strip().splitlines()) <= 2, said
    assert '"event":"ready"' not in said and "http://" not in said
    return said


async def filled(lasting: LastingGateway, room: Room, count: int = 300) -> Client:
    """Creates a participant that has sent this number of committed entries, in many batches."""
    ada = await room.join("Ada")
    for first in range(0, count, 30):
        ada.send(*[append(n, f"{n}") for n in range(first, min(first + 30, count))])
        await ada.committed()
    return ada


async def test_a_folder_of_a_newer_format_is_refused_and_left_as_it_is(
    lasting: LastingGateway, executable: str
) -> None:
    async with Room(lasting) as room:
        await filled(lasting, room, 10)
        await asyncio.to_thread(lasting.stop)
        format_ = lasting.data / "format"
        known = format_.read_text()
        assert re.search(r"\d", known), known
        format_.write_text(re.sub(r"\d+", "999", known, count=1))
        before = {path: path.stat().st_mtime_ns for path in lasting.data.rglob("*") if path.is_file()}
        said = refusal(start(executable, lasting.data), lasting.data)
        found = re.search(r"\d+", known)
        assert found and "999" in said and re.search(rf"\b{found[0]}\b", said), said
        after = {path: path.stat().st_mtime_ns for path in lasting.data.rglob("*") if path.is_file()}
        assert {p: t for p, t in after.items() if p.name != "lock"} == {
            p: t for p, t in before.items() if p.name != "lock"
        }
        format_.write_text(known)
        lasting.start()
        assert len((await room.join("Late")).retained.keys) == 10


@pytest.mark.parametrize("text", ["", "draw", "-1", "\0\xff\n1"])
async def test_an_invalid_format_is_refused(lasting: LastingGateway, executable: str, text: str) -> None:
    await lasting.create_session()
    await asyncio.to_thread(lasting.stop)
    (lasting.data / "format").write_bytes(text.encode("latin-1"))
    refusal(start(executable, lasting.data), lasting.data)


async def test_a_read_only_folder_is_refused(lasting: LastingGateway, executable: str) -> None:
    async with Room(lasting) as room:
        await filled(lasting, room, 10)
        await asyncio.to_thread(lasting.stop)
        with read_only(lasting.data):
            refusal(start(executable, lasting.data), lasting.data)
        lasting.start()
        assert len((await room.join("Late")).retained.keys) == 10


def test_a_data_path_that_is_a_file_or_cannot_be_created_is_refused(executable: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("something else")
    refusal(start(executable, file), file)
    refusal(start(executable, file / "data"), file / "data")
    assert file.read_text() == "something else"


async def test_a_full_disk_at_the_start_is_reported_and_sessions_are_served(
    lasting_with, executable: str, tmp_path: Path
) -> None:
    data = tmp_path / "small" / "data"
    with mounted(data) as is_mounted:
        gateway: LastingGateway = lasting_with("--disk-reserve-bytes", "0", folder=data.parent)
        disk = SmallDisk(data, is_mounted)
        disk.gateway = gateway
        async with Room(gateway) as room:
            await filled(gateway, room, 10)
            await asyncio.to_thread(gateway.stop)
            if is_mounted:
                disk.fill()
                try:
                    gateway.start()
                except AssertionError as refused:
                    assert str(data) in gateway.log, refused
                else:
                    disk.fill()
                    assert (await gateway.get(room.path)).status not in NEVER
                    (await gateway.post("/api/sessions")).problem(507, "storage-full")
                    gateway.kill()
                disk.empty()
            gateway.start()
            assert len((await room.join("Late")).retained.keys) == 10
        gateway.kill()


@WAYS
@pytest.mark.parametrize("place", [0.0, 0.001, 0.02, 0.3, 0.6, 0.9, 0.995, 1.0])
async def test_a_flipped_bit_costs_at_most_its_record(
    lasting: LastingGateway, executable: str, way: str, place: float
) -> None:
    async with Room(lasting) as room, Room(lasting) as other:
        ada, ben = await filled(lasting, room), await filled(lasting, other, 20)
        await asyncio.to_thread(lasting.stop if way == "stop" else lasting.kill)
        await gone(ada, ben)
        log = lasting.folder_of(room.id) / "log"
        stored = bytearray(log.read_bytes())
        at = min(int(place * len(stored)), len(stored) - 1)
        stored[at] ^= 1 << random.Random(place).randrange(8)
        log.write_bytes(stored)
        before = len(lasting.log)
        lasting.start()
        assert len((await other.join("Late")).retained.keys) == 20
        assert (await lasting.get(room.path)).status not in NEVER
        ada.send(append(1_000, "after"))
        await ada.join()
        await until(lambda: "log damaged" in lasting.log[before:] or "log mended" in lasting.log[before:]
                    or "log cut" in lasting.log[before:], "something is said of it")  # fmt: skip
        assert room.id not in lasting.log[before:]
        await ada.committed()
        late = await room.join("Late")
        kept = [n for n in range(300) if key(n) in late.retained.keys]
        missing = sorted(set(range(300)) - set(kept))
        # A record contains the entries of one turn of the event loop.
        assert missing == list(range(missing[0], missing[-1] + 1)) if missing else True, missing
        assert late.retained.payloads()[key(1_000)] == [b"after"]
        is_lost = (lasting.folder_of(room.id) / "log.damaged-1").exists()
        notices = [e for e in late.snapshots[-1] + late.received if e.type == "notice"]
        assert [json.loads(e.payload)["code"] for e in notices] == (["damaged"] if is_lost else [])
        assert is_lost or not missing
        assert run(executable, "verify", "--data", str(lasting.data)).returncode == is_lost
        if is_lost:
            assert run(executable, "repair", room.id, "--data", str(lasting.data)).returncode == 0
            assert run(executable, "verify", "--data", str(lasting.data)).returncode == 0
        await lasting.again("crash")
        again = await room.join("Again")
        assert again.retained.payloads() == late.retained.payloads()


async def damaged(lasting: LastingGateway, room: Room, *, ended: bool) -> tuple[Client, int, bytes]:
    """Creates a session of 40 entries, each in its own record, and damages the 16th while no gateway runs. Returns a
    former participant, the damaged offset and the log."""
    ada = await room.join("Ada")
    for n in range(40):
        ada.send(append(n, f"the entry {n:03}"))
        await ada.committed()
    if ended:
        await ada.say(end={})
        await ada.closed()
    await asyncio.to_thread(lasting.kill)
    if not ended:
        await gone(ada)
    log = lasting.folder_of(room.id) / "log"
    stored = bytearray(log.read_bytes())
    place = stored.index(b"the entry 015")
    stored[place] ^= 0x08
    log.write_bytes(stored)
    return ada, place, bytes(stored)


def holds_all_but_the_damaged(person: Client) -> None:
    assert person.retained.payloads() == {key(n): [f"the entry {n:03}".encode()] for n in range(40) if n != 15}


@pytest.mark.parametrize("opened_by", ["a client", "repair beside a gateway", "repair without a gateway"])
async def test_one_damaged_record_is_lost_and_reported_until_repair_accepts_it(
    lasting: LastingGateway, executable: str, opened_by: str
) -> None:
    def command(*words: str) -> int:
        return run(executable, *words, "--data", str(lasting.data)).returncode

    async with Room(lasting) as room:
        ada, place, stored = await damaged(lasting, room, ended=False)
        folder = lasting.folder_of(room.id)
        assert command("verify") == 1
        if opened_by == "repair without a gateway":
            assert command("repair", room.id) == 0
            assert command("verify") == 0
        epoch = ada.epoch
        lasting.start()
        if opened_by == "repair beside a gateway":
            assert command("repair", room.id) == 0
            assert command("verify") == 0
        # Their last sequence is after the loss, so no tail crosses the loss.
        snapshots = len(ada.snapshots)
        await ada.join()
        assert ada.joined["resumed"] and ada.joined["epoch"] != epoch and len(ada.snapshots) == snapshots + 1
        late = await room.join("Late")
        for person in (ada, late):
            holds_all_but_the_damaged(person)
        codes = [json.loads(entry.payload)["code"] for entry in late.snapshots[-1] if entry.type == "notice"]
        assert codes == ["damaged"]
        if opened_by != "repair without a gateway":
            await logged(lasting, "session opened", epoch="new")
            (line,) = events(lasting, "log damaged")
            assert line["level"] == "error"
            at, length = line["at"], line["bytes"]
            assert at <= place < at + length
        if opened_by == "a client":
            assert command("verify") == 1 and command("verify") == 1
            assert (folder / "log.damaged-1").read_bytes() == stored[at : at + length]
            assert command("repair", room.id) == 0
        assert command("verify") == 0 and command("repair", room.id) == 1
        kept = (folder / "log.accepted-1").read_bytes()
        assert kept in stored and stored[place : place + 13] in kept and len(kept) < 200
        ada.send(append(100, "after"))
        await ada.committed()
        await lasting.again("crash")
        assert len((await room.join("Again")).retained.keys) == 40


@pytest.mark.parametrize("is_running", [True, False])
async def test_repair_accepts_the_loss_in_an_ended_session(
    lasting: LastingGateway, executable: str, is_running: bool
) -> None:
    def command(*words: str) -> int:
        return run(executable, *words, "--data", str(lasting.data)).returncode

    async with Room(lasting) as room:
        _, place, stored = await damaged(lasting, room, ended=True)
        if is_running:
            lasting.start()
            assert (await lasting.get(room.path)).status == 410
        assert command("verify") == 1
        assert command("repair", room.id) == 0
        assert command("verify") == 0
        kept = (lasting.folder_of(room.id) / "log.accepted-1").read_bytes()
        assert kept in stored and stored[place : place + 13] in kept
        if not is_running:
            lasting.start()
        assert (await lasting.get(room.path)).status == 410
        assert command("restore", room.id) == 0
        holds_all_but_the_damaged(await room.join("Late"))


async def test_a_truncated_log_opens_with_the_records_before_the_cut(lasting: LastingGateway) -> None:
    chance = random.Random(7)
    async with Room(lasting) as room:
        ada = await filled(lasting, room)
        lasting.kill()
        await gone(ada)
        log = lasting.folder_of(room.id) / "log"
        whole = log.read_bytes()
        most = 300
        for length in sorted(
            (chance.randrange(len(whole) // 10, len(whole)) for _ in range(12)), reverse=True
        ):
            log.write_bytes(whole[:length])
            lasting.start()
            late = await room.join("Late")
            kept = [n for n in range(300) if key(n) in late.retained.keys]
            assert kept == list(range(len(kept))) and len(kept) <= most
            most = len(kept)
            lasting.kill()


async def test_a_damaged_attachment_is_not_served_as_intact(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        journal = Journal(lasting, room.id)
        lost, kept = await journal.add(content(10_000)), await journal.add(content(10_000, seed=1))
        ada.send(append(1, "x"))
        await ada.committed()
        lasting.kill()
        await gone(ada)
        (file,) = [path for path in journal.files() if path.name == lost["sha256"]]
        file.unlink()
        lasting.start()
        late = await room.join("Late")
        assert late.retained.payloads() == {key(1): [b"x"]}
        assert (await journal.read(kept["id"])).body == content(10_000, seed=1)
        response = await journal.read(lost["id"])
        assert response.status in (404, 410, 500, 503), response
        assert len(response.problem(response.status)["detail"]) > 10


def _flip(file: Path) -> None:
    stored = bytearray(file.read_bytes())
    stored[len(stored) // 2] ^= 4
    file.write_bytes(stored)


DAMAGES = pytest.mark.parametrize(
    "damage",
    [
        _flip,
        lambda file: file.write_bytes(file.read_bytes()[:-1]),
        lambda file: file.write_bytes(file.read_bytes() + b"x"),
        lambda file: file.write_bytes(b""),
        Path.unlink,
    ],
    ids=["a flipped bit", "shorter", "longer", "empty", "missing"],
)


@DAMAGES
async def test_a_damaged_attachment_is_marked_and_never_served(lasting: LastingGateway, damage) -> None:
    async with Room(lasting) as room:
        journal = Journal(lasting, room.id)

        def damage_lines() -> list[str]:
            return [line for line in lasting.log.splitlines() if '"attachment damaged"' in line]

        lost, kept = await journal.add(content(300_000)), await journal.add(content(300_000, seed=1))
        for start, way in enumerate(("stop", "crash"), 1):
            lasting.kill() if way == "crash" else await asyncio.to_thread(lasting.stop)
            if way == "stop":
                (file,) = [path for path in journal.files() if path.name == lost["sha256"]]
                damage(file)
            lasting.start()
            # The first read must return no byte of it, for any range, and the response must not be cacheable.
            asked = await asyncio.gather(
                *(lasting.get(lost["url"], **fields) for fields in ({}, {"Range": "bytes=0-9"}, {})),
                lasting.get(lost["url"], If_None_Match=f'"{lost["sha256"]}"'),
                lasting.request("HEAD", lost["url"]),
            )
            for response in asked:
                assert response.status == 500, response
                assert response.get("cache-control") == "no-store" and response.get("etag") is None
            problem = asked[0].problem(500, "internal")
            assert problem["detail"].startswith("The attachment was damaged") and problem["damaged"] is True
            marks = {attachment["id"]: attachment.get("damaged") for attachment in await journal.list()}
            assert marks == {lost["id"]: True, kept["id"]: None}
            assert (await journal.read(kept["id"])).body == content(300_000, seed=1)
            # A thread of its own writes the log: a kill takes lines that are not written yet.
            await until(lambda count=start: len(damage_lines()) >= count, "the line of this start")
        lines = damage_lines()
        assert len(lines) == 2 and all(lost["id"] in line and '"level":"error"' in line for line in lines)
        # Adding the same content again replaces the damaged file.
        again = await journal.add(content(300_000))
        for attachment in (lost, again):
            assert (await journal.read(attachment["id"])).body == content(300_000)
        assert not any("damaged" in attachment for attachment in await journal.list())


async def test_a_file_whose_length_changes_after_its_check_is_not_served(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        journal = Journal(lasting, room.id)
        lost = await journal.add(content(10_000))
        (file,) = journal.files()
        file.write_bytes(content(10_001))
        (await journal.read(lost["id"])).problem(500, "internal")
        assert [attachment.get("damaged") for attachment in await journal.list()] == [True]


async def test_a_session_without_its_log_is_an_error_and_not_unknown(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await filled(lasting, room, 10)
        await asyncio.to_thread(lasting.stop)
        await gone(ada)
        log = lasting.folder_of(room.id) / "log"
        kept = log.read_bytes()
        log.unlink()
        lasting.start()
        for path in (room.path, f"{room.path}/attachments"):
            (await lasting.get(path)).problem(500, "internal")
        with contextlib.suppress(OSError, websockets.ConnectionClosed):
            await ada.join()
        code, reason = await ada.closed()
        assert code == 1011 and reason["detail"]
        line = await logged(lasting, "session not opened", level="error")
        assert "has no log" in line["reason"]
        (await lasting.get(f"/api/sessions/{'A' * 22}")).problem(404, "not-found")
        # A log that the operator restores works again.
        log.write_bytes(kept)
        assert len((await room.join("Late")).retained.keys) == 10


async def test_other_files_in_the_sessions_folder_are_ignored(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada = await filled(lasting, room, 10)
        lasting.kill()
        await gone(ada)
        sessions = lasting.data / "sessions"
        (sessions / "a file").write_text("x")
        (sessions / "not a session").mkdir()
        (sessions / ("A" * 22)).mkdir()
        (sessions / ("B" * 22)).mkdir()
        (sessions / ("B" * 22) / "log").write_bytes(b"")
        (sessions / ("C" * 22)).symlink_to("/etc")
        (lasting.folder_of(room.id) / "a stray file").write_text("x")
        (lasting.folder_of(room.id) / "log.new").write_bytes(b"half a compaction")
        lasting.start()
        await ada.join()
        assert len(ada.retained.keys) == 10
        for unknown in "ABC":
            assert (await lasting.get(f"/api/sessions/{unknown * 22}")).status != 200
        assert (sessions / "a file").exists() and (sessions / "not a session").exists()
        ada.send(append(11, "y"))
        await ada.committed()
        await asyncio.to_thread(lasting.stop)


async def test_the_lock_of_a_killed_gateway_is_released(lasting: LastingGateway) -> None:
    for _ in range(5):
        lasting.kill()
        lasting.start()
    await until(lambda: lasting.is_running, "it runs")
    assert (await lasting.get("/readyz")).status == 200
