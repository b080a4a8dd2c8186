"""Sections 4 and 5: the quotas of a session, the gateway and the disk. Each refusal has a message."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from attachments import MEBIBYTE, Journal, answer_while_sending, chunk, content, pieces, sha256
from client import Client
from gateway import Gateway
from lasting import LastingGateway
from polling import until
from room import Room, note
from tus import Upload

QUOTA = 3 * MEBIBYTE
DISK = 24 * MEBIBYTE


@pytest.fixture
def journal(gateway_with) -> Journal:
    """The journal of a new session that may hold 3 MiB."""
    return asyncio.run(Journal.open(gateway_with(sessionAttachmentBytes=QUOTA)))


async def test_the_limits_of_the_journal_are_reported(gateway: Gateway) -> None:
    limits = (await gateway.get("/api/limits")).json()
    assert limits["attachmentsPerSession"] == 1_000
    assert limits["uploads"] == 256
    assert limits["diskReserveBytes"] == 256 << 20


async def test_the_exact_quota_is_accepted_and_one_byte_more_is_413(journal: Journal) -> None:
    for seed in range(3):
        await journal.add(content(MEBIBYTE, seed))
    for declared in (b"x", content(MEBIBYTE)):
        refused = (await journal.post(declared)).problem(413, "session-quota")
        assert refused["limit"] == QUOTA
    (await Upload.creation(journal, 1)).problem(413, "session-quota")
    (await Upload.creation(journal, 1, b"x")).problem(413, "session-quota")
    await journal.add(b"")
    assert len(await journal.list()) == 4
    await until(lambda: len(journal.stored()) == len(journal.files()) == 4, "the refused ones leave no files")


async def test_over_the_quota_is_refused_before_the_body(journal: Journal) -> None:
    await journal.add(content(MEBIBYTE))
    fields = {"Content_Length": str(QUOTA), "Expect": "100-continue"}
    async with await journal.begin(**fields) as connection:
        (await connection.receive_informational()).problem(413, "session-quota")
    assert len(await journal.list()) == 1


async def test_a_shared_content_counts_once_until_its_last_attachment_is_removed(journal: Journal) -> None:
    same, other = content(MEBIBYTE), content(MEBIBYTE, seed=1)
    kept = [await journal.add(same) for _ in range(4)]
    await journal.add(other)
    assert journal.stored() == {sha256(same), sha256(other)}
    third = await journal.add(content(MEBIBYTE, seed=2))
    (await journal.post(b"x")).problem(413, "session-quota")
    for attachment in kept[:-1]:
        await journal.remove(attachment["id"])
    (await journal.post(b"x")).problem(413, "session-quota")
    assert (await journal.read(kept[-1]["id"])).body == same
    await journal.remove(kept[-1]["id"])
    await journal.add(content(MEBIBYTE, seed=3))
    await until(lambda: sha256(same) not in journal.stored(), "its file is gone")
    await journal.remove(third["id"])
    await until(lambda: len(journal.files()) == 2, "one file for each that is left")


async def test_a_declared_upload_reserves_its_bytes_until_it_ends(journal: Journal) -> None:
    upload = await Upload.create(journal, 2 * MEBIBYTE)
    (await journal.post(content(2 * MEBIBYTE))).problem(413, "session-quota")
    (await Upload.creation(journal, 2 * MEBIBYTE)).problem(413, "session-quota")
    await journal.add(content(MEBIBYTE))
    (await journal.post(b"x")).problem(413, "session-quota")
    assert (await upload.terminate()).status == 204
    async with await journal.begin(Content_Length=str(2 * MEBIBYTE)) as connection:
        await connection.send(content(1_000))
        await until(_lists(journal, 2), "it is listed")
        (await journal.post(b"x")).problem(413, "session-quota")
    await until(_lists(journal, 1), "what was cut short is gone")
    await journal.add(content(2 * MEBIBYTE))
    assert len(await journal.list()) == 2


async def test_an_unknown_length_is_refused_when_it_grows_over_the_quota(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionAttachmentBytes=24 * MEBIBYTE)
    journal = await Journal.open(gateway)
    piece = chunk(content(MEBIBYTE))
    async with await journal.begin(Transfer_Encoding="chunked") as connection:
        response = await answer_while_sending(connection, piece, 30)
        assert response.problem(413, "session-quota")["limit"] == 24 * MEBIBYTE
    await until(journal.is_empty, "nothing is left of it")
    data = content(23 * MEBIBYTE)
    attachment = await journal.add(data, is_chunked=True)
    await journal.add(content(MEBIBYTE, seed=1))
    (await journal.post(b"x", is_chunked=True)).problem(413, "session-quota")
    (await journal.post(b"x")).problem(413, "session-quota")
    await journal.remove(attachment["id"])
    upload = await Upload.create(journal)
    await upload.send(data[: 16 * MEBIBYTE])
    refused = await upload.patch(content(8 * MEBIBYTE), 16 * MEBIBYTE)
    refused.problem(413, "session-quota")
    assert await upload.offset() <= 23 * MEBIBYTE
    assert (await upload.terminate()).status == 204
    await journal.add(data)


async def test_attachments_per_session_are_counted_uploads_included(gateway_with) -> None:
    gateway: Gateway = gateway_with(attachmentsPerSession=3)
    journal = await Journal.open(gateway)
    ready, upload = await journal.add(content(1)), await Upload.create(journal, 5)
    async with await journal.begin(Content_Length="10") as connection:
        await connection.send(b"12345")
        await until(_lists(journal, 3), "three are listed")
        for response in (
            await journal.post(b"x"),
            await journal.post(b"x", True),
            await Upload.creation(journal, 5),
        ):
            assert response.problem(413, "session-quota")["limit"] == 3
    await until(_lists(journal, 2), "what was cut short is gone")
    await journal.add(content(2))
    (await journal.post(b"x")).problem(413, "session-quota")
    await upload.send(b"12345")
    await journal.remove(ready["id"])
    await journal.add(content(3))
    (await journal.post(b"x")).problem(413, "session-quota")
    assert len(await (await Journal.open(gateway)).list()) == 0


async def test_concurrent_uploads_are_limited_per_gateway(gateway_with) -> None:
    gateway: Gateway = gateway_with(uploads=2)
    one, two = await Journal.open(gateway), await Journal.open(gateway)
    async with await one.begin(Content_Length="10") as first, await two.begin(Content_Length="10") as second:
        for connection, journal in ((first, one), (second, two)):
            await connection.send(b"12345")
            await until(journal.list, "it is listed")
        for response in (await one.post(b"x"), await two.post(content(100_000), True)):
            assert response.problem(503, "too-many")["limit"] == 2
        async with await two.begin(Content_Length="10", Expect="100-continue") as third:
            (await third.receive_informational()).problem(503, "too-many")
        await first.send(b"67890")
        one.added(await first.receive(), b"1234567890")
        await one.add(content(100))
        await second.send(b"67890")
        two.added(await second.receive(), b"1234567890")
    for n in range(6):
        await one.add(content(100, seed=n))
    assert len(await one.list()) == 8


async def test_too_many_uploads_a_second_are_refused_in_their_session_only(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=5)
    busy, other = await Journal.open(gateway), await Journal.open(gateway)
    answers = [await Upload.creation(busy, 1) for _ in range(30)]
    refused = [answer for answer in answers if answer.status != 201]
    assert 10 <= len(answers) - len(refused) <= 20, "twice the rate passes in a burst"
    for answer in refused:
        problem = answer.problem(429, "rate-limited")
        assert 0 < problem["retryAfterMs"] <= 10_000 and problem["limit"] == 5
        assert int(answer["retry-after"]) >= 1
    (await busy.post(b"x")).problem(429, "rate-limited")
    await other.add(b"x")
    for listed in await busy.list():
        assert (await busy.remove(listed["id"])).status == 204, "removing always passes"

    async def passes() -> bool:
        return (await busy.post(b"x")).status == 201

    await until(passes, "a place is free again")


async def test_the_reserved_disk_space_is_not_used(lasting_with) -> None:
    gateway: LastingGateway = lasting_with("--disk-reserve-bytes", "0")
    journal = await Journal.open(gateway)
    # All of the disk but one byte: the gateway does not start with more.
    reserve = shutil.disk_usage(gateway.data).total - 1
    gateway.arguments[gateway.arguments.index("--disk-reserve-bytes") + 1] = str(reserve)
    await gateway.again("stop")
    assert (await gateway.get("/api/limits")).json()["diskReserveBytes"] == reserve
    (await gateway.post("/api/sessions")).problem(507, "storage-full")
    for response in (
        await journal.post(content(10)), await journal.post(content(300_000)),
        await Upload.creation(journal, 10, b"0123456789"),
    ):  # fmt: skip
        response.problem(507, "storage-full")
    async with await journal.begin(Content_Length="10", Expect="100-continue") as connection:
        (await connection.receive_informational()).problem(507, "storage-full")
    async with await journal.begin(Transfer_Encoding="chunked") as connection:
        (await answer_while_sending(connection, chunk(content(100_000)), 40)).problem(507, "storage-full")
    await until(journal.is_empty, "nothing is left")
    url = gateway.socket_url(journal.session)
    async with Client(url) as ada, Client(url) as ben:
        await ada.join()
        await ben.join()
        ada.send(note("drawing goes on"))
        await ben.got(b"drawing goes on")
        await ada.committed()


class SmallDisk:
    """A gateway whose disk becomes full: a small tmpfs where mounts are permitted, else a limit on file sizes."""

    def __init__(self, gateway: Gateway, data: Path, is_mounted: bool) -> None:
        self.gateway, self._data, self.is_mounted = gateway, data, is_mounted

    def fill(self) -> None:
        if not self.is_mounted:
            self._limit_files(MEBIBYTE)
            return
        with (self._data / "filler").open("ab", buffering=0) as filler:
            for size in (MEBIBYTE, 4_096, 1):
                with contextlib.suppress(OSError):
                    while filler.write(bytes(size)):
                        pass

    def empty(self) -> None:
        if self.is_mounted:
            (self._data / "filler").unlink()
        else:
            self._limit_files(resource.RLIM_INFINITY)

    def _limit_files(self, size: int) -> None:
        _, most = resource.prlimit(self.gateway.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.gateway.process.pid, resource.RLIMIT_FSIZE, (size, most))


@pytest.fixture(params=["full disk", "file limit"])
def disk(request: pytest.FixtureRequest, new_gateway, tmp_path: Path) -> Iterator[SmallDisk]:
    data = tmp_path / "small" / "data"
    data.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(data)]
    is_wanted = request.param == "full disk"
    is_mounted = is_wanted and subprocess.run(mount, capture_output=True).returncode == 0
    try:
        gateway = new_gateway("--disk-reserve-bytes", "0", folder=data.parent)
        yield SmallDisk(gateway, data, is_mounted)
        assert gateway.process.poll() is None, "the gateway goes on"
        assert gateway.terminate() == 0
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(data)], check=True)


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_full_disk_leaves_no_partial_attachments(disk: SmallDisk, is_chunked: bool) -> None:
    async with Room(disk.gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(disk.gateway, room.id)
        kept = await journal.add(content(MEBIBYTE))
        data = content(8 * MEBIBYTE)
        length = {"Transfer_Encoding": "chunked"} if is_chunked else {"Content_Length": str(len(data))}
        async with await journal.begin(**length) as connection:
            sent = [chunk(piece) if is_chunked else piece for piece in pieces(data, 65_536)]
            await connection.send(b"".join(sent[:32]))
            await until(
                lambda: sum(file.stat().st_size for file in journal.files()) > 2 * MEBIBYTE, "it arrives"
            )
            disk.fill()
            response = await answer_while_sending(connection, b"".join(sent[32:]), 1)
            response.problem(507, "storage-full")
        await until(_lists(journal, 1), "nothing half-done is listed")
        await until(lambda: len(journal.files()) == 1, "nothing half-done is kept")
        disk.fill()
        (await journal.post(content(2 * MEBIBYTE))).problem(507, "storage-full")
        assert sha256((await journal.read(kept["id"])).body) == kept["sha256"]
        ada.send(note("drawing goes on"))
        await ben.got(b"drawing goes on")
        disk.empty()
        attachment = await journal.add(data, is_chunked)
        assert sha256((await journal.read(attachment["id"])).body) == sha256(data)
        await ben.wait_for(
            lambda: set(ben.retained.attachments) == {kept["id"], attachment["id"]}, "everybody knows of both"
        )


async def test_a_resumable_upload_continues_when_the_disk_has_room_again(disk: SmallDisk) -> None:
    journal = await Journal.open(disk.gateway)
    data = content(8 * MEBIBYTE)
    upload = await Upload.create(journal, len(data))
    async with await upload.begin(0, len(data)) as connection:
        await connection.send(data[: 2 * MEBIBYTE])
        await until(lambda: upload.has(2 * MEBIBYTE), "it arrives")
        disk.fill()
        response = await answer_while_sending(connection, data[2 * MEBIBYTE :], 1)
        response.problem(507, "storage-full")
    offset = await upload.offset()
    assert offset <= len(data)
    (listed,) = await journal.list()
    assert listed["state"] == "uploading"
    disk.empty()
    await upload.send(data[offset:], offset)
    assert sha256((await journal.read(upload.id)).body) == sha256(data)


async def test_more_than_the_disk_has_is_refused_at_once(disk: SmallDisk) -> None:
    if not disk.is_mounted:
        disk.fill()
    journal = await Journal.open(disk.gateway)
    async with await journal.begin(Content_Length=str(2 * DISK)) as connection:
        response = await answer_while_sending(connection, content(MEBIBYTE), 40)
        response.problem(507, "storage-full")
    await until(journal.is_empty, "nothing is left")
    await journal.add(content(100_000))


def _lists(journal: Journal, count: int):
    """Returns a condition: the journal lists this number of attachments."""

    async def holds() -> bool:
        return len(await journal.list()) == count

    return holds
